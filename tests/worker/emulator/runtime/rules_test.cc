// Rules of the runtime that know no process: addresses, settings, names, texts, limits, notices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/worker/emulator/runtime/test_image.h"
#include "worker/emulator/runtime/client/address_space.h"
#include "worker/emulator/runtime/client/kernel_image.h"
#include "worker/emulator/runtime/client/settings.h"
#include "worker/emulator/runtime/error_text.h"
#include "worker/emulator/runtime/process/device_clock.h"
#include "worker/emulator/runtime/process/image_flags.h"
#include "worker/emulator/runtime/process/limits.h"
#include "worker/emulator/runtime/process/notices.h"

namespace kernelsmith::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AddressSpace, RandomUseNeverOverlapsAndComesBackWhole) {
  constexpr uint64_t kBase = 0x12c000000000;
  constexpr uint64_t kBytes = 1 << 20;
  acl::AddressSpace space(kBase, kBytes);
  std::mt19937 random(7);
  std::map<uint64_t, uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0) {
      const uint64_t bytes = 1 + random() % 20000;
      const auto address = space.Allocate(bytes);
      if (!address) continue;
      EXPECT_EQ(*address % 512, 0);
      EXPECT_LE(*address + bytes + 32, kBase + kBytes);
      const auto after = live.lower_bound(*address);
      if (after != live.end()) {
        EXPECT_LE(*address + bytes, after->first);
      }
      if (after != live.begin()) {
        EXPECT_LE(std::prev(after)->first + std::prev(after)->second, *address);
      }
      EXPECT_NE(space.Holding(*address, bytes), nullptr);
      EXPECT_EQ(space.Holding(*address, bytes + 1024), nullptr);
      live[*address] = bytes;
    } else if (!live.empty()) {
      auto one = live.begin();
      std::advance(one, random() % live.size());
      EXPECT_EQ(space.Free(one->first)->bytes, one->second);
      EXPECT_FALSE(space.Free(one->first));
      live.erase(one);
    }
  }
  for (const auto& [address, bytes] : live) EXPECT_TRUE(space.Free(address));
  EXPECT_EQ(space.free(), kBytes);
  EXPECT_TRUE(space.Allocate(kBytes - 32)) << "in one piece";
  EXPECT_FALSE(space.Allocate(1));
}

TEST(Settings, VisibleDevicesEndAtTheFirstBadEntry) {
  EXPECT_THAT(acl::VisibleDevices(nullptr, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(acl::VisibleDevices("2,0", 3), ElementsAre(2, 0));
  EXPECT_THAT(acl::VisibleDevices(" 1 , 2", 3), ElementsAre(1, 2));
  EXPECT_THAT(acl::VisibleDevices("1,x,2", 3), ElementsAre(1));
  EXPECT_THAT(acl::VisibleDevices("1,1,2", 3), ElementsAre(1));
  EXPECT_THAT(acl::VisibleDevices("-1", 3), IsEmpty());
  EXPECT_THAT(acl::VisibleDevices("3", 3), IsEmpty());
  EXPECT_THAT(acl::VisibleDevices("", 3), IsEmpty());
}

TEST(Settings, SocSummaryReadsPlainFieldsOfTheOuterMessageOnly) {
  const auto soc = acl::ParseSocSummary(R"(# comment { with brace
name: "Ascend9"  # its name
npu_arch_number: 2201
aic_cores: 20
aiv_cores: 40
clock_mhz { value: 1850 source: "a } brace" }
instruction {
  compute: "Add"
  aiv_cores: 7
}
memory_bytes: 1024
l2_bytes: 12
)");
  ASSERT_TRUE(soc);
  EXPECT_EQ(soc->name, "Ascend9");
  EXPECT_EQ(soc->npu_arch_number, 2201);
  EXPECT_EQ(soc->aic_cores, 20);
  EXPECT_EQ(soc->aiv_cores, 40);
  EXPECT_EQ(soc->memory_bytes, 1024);
  EXPECT_EQ(soc->l2_bytes, 12);
  EXPECT_FALSE(acl::ParseSocSummary(""));
  EXPECT_FALSE(acl::ParseSocSummary("name: \"x\"\n"));
}

TEST(KernelImage, NamesAreReadFromTheFileAndDamageIsHarmless) {
  const std::string& image = TestImage();
  EXPECT_THAT(acl::ExportedFunctions(image.data(), image.size()), Contains("adds"));
  EXPECT_THAT(acl::ExportedFunctions("no image", 8), IsEmpty());
  EXPECT_THAT(acl::ExportedFunctions(nullptr, 0), IsEmpty());
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = image;
    for (int byte = 0; byte < 20; ++byte)
      damaged[random() % (byte < 10 ? 64 : damaged.size())] = static_cast<char>(random());
    damaged.resize(random() % 3 == 0 ? random() % damaged.size() : damaged.size());
    acl::ExportedFunctions(damaged.data(), damaged.size());
  }
}

TEST(KernelImage, KernelsAreFoundByPlainName) {
  const std::vector<std::string> exported = {"_Z3addPDh", "plain", "_ZN2ns4kernEi", "_Z1tIfEvPT_", "_Z1tIDhEvPT_"};
  EXPECT_EQ(acl::ResolveKernel(exported, "add"), "_Z3addPDh");
  EXPECT_EQ(acl::ResolveKernel(exported, "_Z3addPDh"), "_Z3addPDh");
  EXPECT_EQ(acl::ResolveKernel(exported, "plain"), "plain");
  EXPECT_EQ(acl::ResolveKernel(exported, "kern"), "_ZN2ns4kernEi");
  EXPECT_EQ(acl::ResolveKernel(exported, "t"), "") << "two instances";
  EXPECT_EQ(acl::ResolveKernel(exported, "ad"), "");
}

TEST(ImageFlags, ImageWithoutNoteIsSynchronisedAutomatically) {
  EXPECT_TRUE(ReadImageFlags(TestImagePath()).auto_sync);
  EXPECT_TRUE(ReadImageFlags("/nonexistent").auto_sync);
}

TEST(ErrorText, CodesFollowKindAndUnit) {
  const struct {
    FaultKind kind;
    bool cube;
    int code;
    const char* retcode;
  } cases[] = {{FaultKind::kException, false, 507035, "retCode=0x31, [vector core exception]"},
               {FaultKind::kException, true, 507015, "retCode=0x26, [aicore exception]"},
               {FaultKind::kTimeout, false, 507014, "retCode=0x25, [aicore timeout]"},
               {FaultKind::kTimeout, true, 507014, "retCode=0x25, [aicore timeout]"}};
  for (const auto& test : cases) {
    Fault fault;
    fault.kind = test.kind;
    fault.cube = test.cube;
    fault.device = 3;
    fault.kernel = "add";
    fault.error_bits = 0x10;
    fault.error_string = "E.";
    EXPECT_EQ(FaultCode(fault), test.code);
    const std::string text = FaultText(fault, 42, "2026-01-02-03:04:05.006.007");
    EXPECT_THAT(text,
                HasSubstr("EZ9999: Inner Error!\nEZ9999[PID: 42] 2026-01-02-03:04:05.006.007 (EZ9999):  The error "
                          "from device(chipId:3, dieId:0)"));
    EXPECT_THAT(text, HasSubstr(test.retcode));
    EXPECT_THAT(text, HasSubstr("errcode:(0x10, 0, 0) errorStr: E.\n"));
    EXPECT_THAT(text, HasSubstr("fault kernel_name=add.\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("emulated-cann")));
  }
}

TEST(LaunchLimits, FollowTheTimeOutOfTheProgram) {
  v1::Soc soc;
  soc.mutable_clock_mhz()->set_value(1800);
  soc.mutable_scalar_cycles_per_step()->set_value(4);
  EXPECT_EQ(LimitsOf(10, soc, 0).steps, 4500);
  EXPECT_EQ(LimitsOf(10, soc, 0).wall, std::chrono::seconds(30));
  EXPECT_EQ(LimitsOf(10'000'000, soc, 0).wall, std::chrono::seconds(100));
  EXPECT_EQ(LimitsOf(0, soc, 0).wall, std::chrono::minutes(10));
  EXPECT_EQ(LimitsOf(0, soc, 0).steps, 1091ull * 1'000'000 * 1800 / 4);
  EXPECT_EQ(LimitsOf(10'000'000, soc, 5).wall, std::chrono::milliseconds(5));
  soc.mutable_scalar_cycles_per_step()->set_value(0);
  EXPECT_EQ(LimitsOf(10, soc, 0).steps, 18000);
}

TEST(DeviceClock, TicksAreTwentyNanoseconds) {
  v1::Soc soc;
  soc.mutable_memory_bytes_per_s()->set_value(1e12);
  soc.mutable_device_ticks_per_ms()->set_value(50000);
  DeviceClock clock(soc);
  EXPECT_EQ(clock.ticks(), 0);
  clock.AddLaunch(10);
  EXPECT_EQ(clock.ticks(), 500);
  clock.AddLaunch(0.019);
  EXPECT_EQ(clock.ticks(), 500);
  clock.AddDeviceCopy(1'000'000);  // 5 us, and twice a microsecond
  EXPECT_EQ(clock.ticks(), 500 + 350);
  clock.AddHostCopy(24'000'000);
  EXPECT_NEAR(static_cast<double>(clock.ticks()), 850 + 50 * 1005, 1);
  soc.mutable_device_ticks_per_ms()->set_value(0);
  EXPECT_EQ(DeviceClock(soc).ticks_per_ms(), 50000);
}

TEST(Notices, LongOutputComesInPiecesAndHasAnEnd) {
  Notices notices;
  EXPECT_EQ(notices.PostConsole(""), 0);
  EXPECT_EQ(notices.PostConsole(std::string(65 * 1024, 'x')), 2);
  EXPECT_EQ(notices.PostFailure(3, 9, 507035, "text"), 1);
  EXPECT_EQ(notices.Take()->text.size(), 64 * 1024);
  EXPECT_EQ(notices.Take()->text.size(), 1024);
  const auto failure = notices.Take();
  EXPECT_EQ(failure->kind, NoticeKind::kFailure);
  EXPECT_EQ(failure->code, 507035);
  EXPECT_FALSE(notices.Take());
  const std::string large(size_t{1} << 20, 'x');
  for (int i = 0; i < 40; ++i) notices.PostConsole(large);
  EXPECT_EQ(notices.waiting(), 16 * 16) << "16 MiB wait for a client that never asks";
}

TEST(LaunchLog, KeepsTheLastLaunchesAndForgetsByNumber) {
  LaunchLog log;
  EXPECT_EQ(log.Report(), R"({"launches": []})");
  for (int i = 1; i <= 66; ++i) log.Add("{\"n\": " + std::to_string(i) + "}");
  EXPECT_THAT(log.Report(), ::testing::StartsWith(R"({"launches": [{"n": 3}, {"n": 4})"));
  log.Forget(65);
  EXPECT_EQ(log.Report(), R"({"launches": [{"n": 66}]})");
  log.Forget(log.last());
  EXPECT_EQ(log.Report(), R"({"launches": []})");
}

}  // namespace
}  // namespace kernelsmith::emulator
