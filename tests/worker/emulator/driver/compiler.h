// Runs the built bisheng on sources of a test, in a folder of the test's own.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace kernelsmith::emulator {

struct Outcome {
  int code = -1;
  std::string output;  // standard output and error
};

class CompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "bisheng-test-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = std::filesystem::canonical(path).string();
    std::filesystem::create_directory(folder_ + "/tmp");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_ + "/" + name); }

  // Temporary files go to <folder>/tmp.
  Outcome Shell(const std::string& command) const {
    const std::string line = "cd '" + folder_ + "' && export TMPDIR='" + folder_ + "/tmp' && (" + command + ") 2>&1";
    FILE* pipe = popen(line.c_str(), "r");
    Outcome outcome;
    char buffer[4096];
    for (size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) outcome.output.append(buffer, n);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
  }
  // bisheng with the arguments as a shell reads them; --npu-arch is added.
  Outcome Bisheng(const std::string& arguments) const {
    return Shell(std::string(KERNELSMITH_CANN_ROOT "/bin/bisheng --npu-arch=dav-2201 ") + arguments);
  }
  bool LeftTemporaryFiles() const { return !std::filesystem::is_empty(folder_ + "/tmp"); }

  std::string folder_;
};

}  // namespace kernelsmith::emulator
