#include "common/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/status.h"
#include "tests/common/temporary.h"

namespace kernelsmith::common {
namespace {

TEST(Metrics, ServesOnAFreePortAndWritesItDown) {
  const TemporaryFolder folder = TestFolder();
  config::v1::Observability options;
  options.set_metrics_port_file(folder.path() + "/port");
  const auto metrics = Metrics::Start(options).value();
  EXPECT_THAT(metrics->address(), ::testing::StartsWith("127.0.0.1:"));
  EXPECT_NE(metrics->address(), "127.0.0.1:0");
  EXPECT_EQ(ReadFile(folder.path() + "/port").value(), metrics->address());
}

TEST(Metrics, TheSameNameAndLabelsGiveTheSameCounter) {
  Metrics metrics;
  metrics.AddCounter("kernelsmith_test_things_total", "Things", {{"kind", "a"}}).Increment(2);
  EXPECT_EQ(metrics.AddCounter("kernelsmith_test_things_total", "Things", {{"kind", "a"}}).Value(), 2);
}

TEST(Metrics, SaysWhichAddressCannotBeServed) {
  config::v1::Observability options;
  options.set_metrics_address("256.0.0.1:1");
  EXPECT_EQ(FieldOf(Metrics::Start(options).status()), "observability.metrics_address");
}

}  // namespace
}  // namespace kernelsmith::common
