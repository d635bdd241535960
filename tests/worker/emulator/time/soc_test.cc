#include "worker/emulator/soc/soc.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::HasSubstr;

const std::string kData = KERNELSMITH_SOURCE_DIR "/worker/emulator/soc/data";

class Soc : public ::testing::Test {
 protected:
  Soc() {
    std::string path = (std::filesystem::temp_directory_path() / "soc_test_XXXXXX").string();
    folder_ = mkdtemp(path.data());
  }
  ~Soc() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name + ".textproto";
    std::ofstream(path) << text;
    return path;
  }
  std::string folder_;
};

TEST_F(Soc, FilesOfAllCardsAreValidAndNameTheirSources) {
  for (const char* name :
       {"Ascend910B1", "Ascend910B2", "Ascend910B3", "Ascend910B4", "Ascend910_9391", "Ascend910_9392"}) {
    const auto soc = LoadSocByName(kData, name);
    ASSERT_TRUE(soc.ok()) << soc.status();
    EXPECT_EQ(soc->aiv_cores(), 2 * soc->aic_cores());
    EXPECT_EQ(soc->ub_bytes(), 196608);
  }
}

TEST_F(Soc, ThatDoesNotExistIsAnsweredWithThoseThatDo) {
  const auto soc = LoadSocByName(kData, "Ascend310P3");
  EXPECT_EQ(soc.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(soc.status().message()), HasSubstr("Ascend910B3"));
  EXPECT_THAT(std::string(LoadSocByName(folder_ + "/none", "x").status().message()), HasSubstr("there is none"));
  EXPECT_EQ(LoadSoc(folder_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(Soc, UnderAnotherNameIsRefused) {
  std::filesystem::copy(kData + "/Ascend910B1.textproto", folder_ + "/Other.textproto");
  EXPECT_THAT(std::string(LoadSocByName(folder_, "Other").status().message()), HasSubstr("describes Ascend910B1"));
}

TEST_F(Soc, WithASyntaxErrorIsRefusedWithItsLine) {
  const auto soc = LoadSoc(Write("x", "name: \"x\"\nnonsense: 1\n"));
  EXPECT_EQ(soc.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(soc.status().message()), HasSubstr("line 2"));
}

TEST_F(Soc, WithAFieldOutOfRangeIsRefusedByItsName) {
  struct Case {
    const char* field;
    void (*damage)(v1::Soc&);
  };
  const Case cases[] = {
      {"name is missing", [](v1::Soc& s) { s.clear_name(); }},
      {"aiv_cores must be positive", [](v1::Soc& s) { s.set_aiv_cores(0); }},
      {"l2_bytes must be positive", [](v1::Soc& s) { s.set_l2_bytes(-1); }},
      {"clock_mhz must be positive", [](v1::Soc& s) { s.clear_clock_mhz(); }},
      {"clock_mhz must be positive", [](v1::Soc& s) { s.mutable_clock_mhz()->set_value(0.0 / 0.0); }},
      {"flag_cycles gives no source", [](v1::Soc& s) { s.mutable_flag_cycles()->clear_source(); }},
      {"ub_reserved_bytes", [](v1::Soc& s) { s.set_ub_reserved_bytes(1 << 20); }},
      {"repeat_bytes", [](v1::Soc& s) { s.set_repeat_bytes(100); }},
      {"queue_depth", [](v1::Soc& s) { s.mutable_queue_depth()->set_value(1e9); }},
      {"aiv_cores", [](v1::Soc& s) { s.set_aiv_cores(5000); }},
      {"names no operation", [](v1::Soc& s) { s.mutable_instruction(1)->set_compute("Frobnicate"); }},
      {"names no element", [](v1::Soc& s) { s.mutable_instruction(1)->set_element("Quad"); }},
      {"negative cost", [](v1::Soc& s) { s.mutable_instruction(1)->set_start_cycles(-1); }},
      {"gives no source", [](v1::Soc& s) { s.mutable_instruction(1)->clear_source(); }},
      {"given twice", [](v1::Soc& s) { *s.add_instruction() = s.instruction(1); }},
      {"Default", [](v1::Soc& s) { s.clear_instruction(); }},
  };
  const v1::Soc good = LoadSocByName(kData, "Ascend910B3").value();
  ASSERT_TRUE(ValidateSoc(good).ok());
  for (const Case& c : cases) {
    v1::Soc soc = good;
    c.damage(soc);
    EXPECT_THAT(std::string(ValidateSoc(soc).message()), HasSubstr(c.field));
  }
}

}  // namespace
}  // namespace kernelsmith::emulator
