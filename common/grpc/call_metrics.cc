#include "common/grpc/call_metrics.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kernelsmith::common {
namespace {

class CallMetrics : public grpc::experimental::Interceptor {
 public:
  CallMetrics(Metrics& metrics, std::string method)
      : metrics_(metrics), method_(std::move(method)), begin_(absl::Now()) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(grpc::experimental::InterceptionHookPoints::PRE_SEND_STATUS)) {
      const int code = methods->GetSendStatus().error_code();
      metrics_
          .AddCounter("kernelsmith_rpc_calls_total", "Calls served, by method and canonical status code",
                      {{"method", method_}, {"code", absl::StrCat(code)}})
          .Increment();
      metrics_
          .AddHistogram("kernelsmith_rpc_seconds", "Time a call took, streams and long polls included",
                        {{"method", method_}})
          .Observe(absl::ToDoubleSeconds(absl::Now() - begin_));
    }
    methods->Proceed();
  }

 private:
  Metrics& metrics_;
  const std::string method_;
  const absl::Time begin_;
};

class CallMetricsFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallMetricsFactory(Metrics& metrics) : metrics_(metrics) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(grpc::experimental::ServerRpcInfo* info) override {
    return new CallMetrics(metrics_, info->method());
  }

 private:
  Metrics& metrics_;
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallMetrics(Metrics& metrics) {
  return std::make_unique<CallMetricsFactory>(metrics);
}

}  // namespace kernelsmith::common
