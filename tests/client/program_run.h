// Runs the whole program in the test's own process against scripted servers.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "common/file_io.h"
#include "tests/client/fake_server.h"

namespace kernelsmith::client {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
  nlohmann::json document() const { return nlohmann::json::parse(out, nullptr, false); }
  std::vector<nlohmann::json> lines() const;
};

// Base of fixtures: servers, a folder, an operator and a kernel.
class ProgramRun : public testing::Test {
 protected:
  ProgramRun();

  std::string Write(const std::string& name, const std::string& content);
  // Against the fake servers.
  Ran Run(std::vector<std::string> arguments);
  // Finds servers by itself, in a data folder of its own.
  Ran RunAlone(std::vector<std::string> arguments);

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("ks-program-test");
  FakeServer server_;
  std::stop_source stop_;
  std::string task_;
  std::string kernel_;
};

}  // namespace kernelsmith::client
