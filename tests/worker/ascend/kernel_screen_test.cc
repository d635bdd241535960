// What kernel.asc may not hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/screening/ascend_screen.h"

namespace kernelsmith::worker {
namespace {

std::string Rules(const std::string& content) {
  v1::SourceFile file;
  file.set_name("kernel.asc");
  file.set_content(content);
  std::string rules;
  for (const v1::Diagnostic& finding : ScreenKernel(file)) {
    EXPECT_EQ(finding.file(), "kernel.asc");
    EXPECT_FALSE(finding.text().empty());
    rules += std::to_string(finding.line()) + ":" + finding.rule() + " ";
  }
  return rules;
}

TEST(KernelScreenTest, HostThingsAreRefusedWithLineAndRule) {
  const std::pair<const char*, const char*> cases[] = {
      {"int x;\nint main() { return 0; }", "2:host-code "},
      {"void f() { k<<<1, 0, 0>>>(x); }", "1:launch "},
      {"\n\nasm volatile(\"nop\");", "3:assembly "},
      {"__asm__(\"nop\");", "1:assembly "},
      {"#include \"acl/acl.h\"", "1:host-include "},
      {"#include <cstdio>", "1:host-include "},
      {"#include <sys/mman.h>", "1:host-include "},
      {"#include <iostream>\n#include <thread>", "1:host-include 2:host-include "},
      {"#include \"/etc/passwd\"", "1:include-path "},
      {"#  include \"../../secret.h\"", "1:include-path "},
      {"#include HEADER", "1:include-path "},
      {"#define return exit()", "1:macro "},
      {"#line 7 \"other.asc\"", "1:macro "},
      {"__attribute__((constructor)) void f() {}", "1:constructor "},
      {"void ks_launch_kernel();", "1:reserved-name "},
      {"int cudaLaunch(const void*);", "1:reserved-name "},
      {"kseReport(0, 0, 0);", "1:reserved-name "},
  };
  for (const auto& [source, rules] : cases) EXPECT_EQ(Rules(source), rules) << source;
}

TEST(KernelScreenTest, DeviceCodePasses) {
  EXPECT_EQ(Rules(R"(#include "kernel_operator.h"
#include <cstdint>
#include "lib/matmul_intf.h"
#define TILE 128
// int main() and k<<<1>>> in a comment
constexpr const char* kText = "main( asm <<<";
extern "C" __global__ __aicore__ void add(GM_ADDR x) { const int domain = TILE << 2; (void)domain; }
)"),
            "");
}

}  // namespace
}  // namespace kernelsmith::worker
