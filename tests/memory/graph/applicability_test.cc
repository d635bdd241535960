#include <gtest/gtest.h>

#include "memory/graph/applicability_table.h"
#include "memory/graph/toolchain_version.h"

namespace kernelsmith::memory {
namespace {

TEST(CompareVersions, ComparesNumbersAndPutsPreReleasesFirst) {
  // From old to new.
  const char* versions[] = {"7.99", "8.0.RC1.alpha001", "8.0.RC1", "8.0.rc2", "8.0", "8.0.1", "8.2.0-beta", "8.2.0",
                            "8.5",  "8.10.0",           "12.2.0"};
  for (size_t i = 0; i < std::size(versions); ++i) {
    for (size_t j = 0; j < std::size(versions); ++j) {
      const int order = CompareVersions(versions[i], versions[j]);
      EXPECT_EQ(order < 0, i < j) << versions[i] << " " << versions[j];
      EXPECT_EQ(order > 0, i > j) << versions[i] << " " << versions[j];
    }
  }
  EXPECT_EQ(CompareVersions("8.5", "8.5.0.0"), 0);
  EXPECT_EQ(CompareVersions("8.05", "8.5"), 0);
  EXPECT_LT(CompareVersions("8.99999999999999999998", "8.99999999999999999999"), 0);
}

TEST(SplitToolchain, TakesTheLastWordAsTheVersionIfItIsOne) {
  const struct {
    const char* text;
    const char* name;
    const char* version;
  } rows[] = {{"cann 8.5.0", "cann", "8.5.0"},
              {"g++ 12.2.0", "g++", "12.2.0"},
              {"cann v8.5", "cann", "8.5"},
              {"cann", "cann", ""},
              {"my cc 3", "my cc", "3"},
              {"gcc next", "gcc next", ""},
              {"", "", ""},
              {"  cann 8  ", "cann", "8"}};
  for (const auto& row : rows) {
    const Toolchain split = SplitToolchain(row.text);
    EXPECT_EQ(split.name, row.name) << row.text;
    EXPECT_EQ(split.version, row.version) << row.text;
  }
}

v1::Target TargetOf(const std::string& architecture, const std::string& toolchain) {
  v1::Target target;
  target.set_architecture(architecture);
  target.set_toolchain(toolchain);
  return target;
}

TEST(HoldsFor, ComparesEachFieldThatBothSidesName) {
  v1::Applicability range;
  range.add_architectures("ascend-a2");
  range.add_toolchains("cann");
  range.set_toolchain_from("8.2");
  range.set_toolchain_to("8.10");
  EXPECT_TRUE(HoldsFor(range, TargetOf("ascend-a2", "cann 8.5.0")));
  EXPECT_TRUE(HoldsFor(range, TargetOf("ascend-a2", "cann 8.2.0"))) << "both ends are included";
  EXPECT_TRUE(HoldsFor(range, TargetOf("ascend-a2", "cann 8.10")));
  EXPECT_FALSE(HoldsFor(range, TargetOf("ascend-a2", "cann 8.1.9")));
  EXPECT_FALSE(HoldsFor(range, TargetOf("ascend-a2", "cann 8.10.1")));
  EXPECT_FALSE(HoldsFor(range, TargetOf("ascend-a2", "g++ 8.5.0")));
  EXPECT_FALSE(HoldsFor(range, TargetOf("cpu-x86_64", "cann 8.5.0")));
  EXPECT_TRUE(HoldsFor(range, TargetOf("", ""))) << "what is not known excludes nothing";
  EXPECT_TRUE(HoldsFor({}, TargetOf("anything", "cann 1")));
}

TEST(ApplicabilityTable, NumbersEqualLimitsAlike) {
  ApplicabilityTable table;
  v1::Applicability range;
  EXPECT_EQ(table.Intern(range), 0u);
  range.set_applies_when("rows are short");
  range.add_dtypes(v1::FP16);
  EXPECT_EQ(table.Intern(range), 0u) << "neither limits a target";
  range.set_toolchain_from("8.5");
  EXPECT_EQ(table.Find(range), std::nullopt);
  const uint32_t number = table.Intern(range);
  EXPECT_EQ(number, 1u);
  EXPECT_EQ(table.Find(range), number);
  EXPECT_FALSE(table.Holds(number, TargetOf("", "cann 8.4")));
  EXPECT_TRUE(table.Holds(0, TargetOf("", "cann 8.4")));
}

}  // namespace
}  // namespace kernelsmith::memory
