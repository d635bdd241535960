// Runs the analysis over a trace written by hand.
#pragma once

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/emulator/trace/trace_builder.h"
#include "worker/emulator/check/check.h"
#include "worker/emulator/soc/soc.h"

namespace kernelsmith::emulator {

inline const v1::Soc& TestSoc() {
  static const v1::Soc soc = LoadSoc(KERNELSMITH_SOURCE_DIR "/worker/emulator/soc/data/Ascend910B3.textproto").value();
  return soc;
}

inline std::vector<Finding> RunCheck(TraceBuilder& t, bool auto_sync) {
  const auto trace = TraceReader::Open(t.Finish());
  EXPECT_TRUE(trace.ok()) << trace.status();
  if (!trace.ok()) return {};
  return CheckTrace(*trace, TestSoc(), {.auto_sync = auto_sync});
}

// "race RAW 10>12 x3", notes with a leading "note ".
inline std::string Brief(const Finding& f) {
  std::string text = f.error ? "" : "note ";
  text += CheckName(f.check);
  if (!f.hazard.empty()) text += " " + f.hazard;
  text += " ";
  if (f.other.line != 0) text += std::to_string(f.other.line) + ">";
  text += std::to_string(f.place.line);
  if (f.count > 1) text += " x" + std::to_string(f.count);
  return text;
}

inline std::vector<std::string> Briefs(TraceBuilder& t, bool auto_sync = true) {
  std::vector<std::string> briefs;
  for (const Finding& finding : RunCheck(t, auto_sync)) briefs.push_back(Brief(finding));
  return briefs;
}

}  // namespace kernelsmith::emulator
