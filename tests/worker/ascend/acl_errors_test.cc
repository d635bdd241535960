// What error codes of the runtime mean: one table.
#include "worker/devices/ascend/acl_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

TEST(AclErrorTest, EveryDocumentedCodeHasItsClassAndStatus) {
  struct Case {
    int code;
    AclErrorClass error_class;
    v1::EvaluationStatus status;
    bool ends_process;
  };
  const Case cases[] = {
      {0, AclErrorClass::kNone, v1::PASSED, false},
      {507014, AclErrorClass::kCandidate, v1::TIMEOUT, true},
      {507034, AclErrorClass::kCandidate, v1::TIMEOUT, true},
      {507046, AclErrorClass::kCandidate, v1::TIMEOUT, true},
      {507015, AclErrorClass::kCandidate, v1::RUNTIME_ERROR, true},
      {507035, AclErrorClass::kCandidate, v1::RUNTIME_ERROR, true},
      {507044, AclErrorClass::kCandidate, v1::RUNTIME_ERROR, true},
      {507018, AclErrorClass::kCandidate, v1::RUNTIME_ERROR, true},
      {507027, AclErrorClass::kWorker, v1::INFRASTRUCTURE, true},
      {207001, AclErrorClass::kCandidate, v1::OUT_OF_MEMORY, false},
      {507010, AclErrorClass::kCard, v1::INFRASTRUCTURE, true},
      {507053, AclErrorClass::kCard, v1::INFRASTRUCTURE, true},
      {507054, AclErrorClass::kCard, v1::INFRASTRUCTURE, true},
      {507899, AclErrorClass::kCard, v1::INFRASTRUCTURE, true},
      {507777, AclErrorClass::kCard, v1::INFRASTRUCTURE, true},
      {107001, AclErrorClass::kInstallation, v1::INFRASTRUCTURE, false},
      {100039, AclErrorClass::kInstallation, v1::INFRASTRUCTURE, false},
      {107000, AclErrorClass::kWorker, v1::INFRASTRUCTURE, false},
      {100000, AclErrorClass::kWorker, v1::INFRASTRUCTURE, false},
  };
  for (const Case& entry : cases) {
    EXPECT_EQ(MeaningOf(entry.code).error_class, entry.error_class) << entry.code;
    EXPECT_EQ(MeaningOf(entry.code).status, entry.status) << entry.code;
    EXPECT_EQ(EndsProcess(entry.code), entry.ends_process) << entry.code;
  }
}

TEST(AclErrorTest, TheTextNamesMeaningCodeCallAndWhatTheRuntimeSaid) {
  EXPECT_EQ(AclErrorText(507035, "aclrtSynchronizeStreamWithTimeout", " EZ9999: aivec error\n"),
            "the kernel caused an exception on a core (error 507035 VECTOR_CORE_EXCEPTION from "
            "aclrtSynchronizeStreamWithTimeout): EZ9999: aivec error");
  EXPECT_THAT(AclErrorText(107000, "aclrtMemcpy", ""), HasSubstr("worker used the runtime wrongly (error 107000 from"));
  EXPECT_THAT(AclErrorText(507777, "x", std::string(1, '\x01')), HasSubstr("\\x01"));
}

}  // namespace
}  // namespace kernelsmith::worker
