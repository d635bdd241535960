#include "server/model/http_post.h"

#include <curl/curl.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

constexpr int kPollMillis = 20;
constexpr size_t kMaxHeaderBytes = size_t{256} << 10;

using SteadyTime = std::chrono::steady_clock::time_point;

struct EasyCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiCloser {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// Loopback beside whatever the environment exempts.
std::string NoProxy() {
  std::string hosts = "localhost,127.0.0.1,::1";
  for (const char* const name : {"no_proxy", "NO_PROXY"}) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') {
      absl::StrAppend(&hosts, ",", value);
      break;
    }
  }
  return hosts;
}

// One transfer: curl's callbacks write into it.
class Transfer {
 public:
  Transfer(const HttpRequest& request, const HttpLimits& limits, const BodySink& sink, const CancelCheck& cancelled)
      : request_(request),
        limits_(limits),
        sink_(sink),
        cancelled_(cancelled),
        easy_(curl_easy_init()),
        multi_(curl_multi_init()) {}

  HttpResult Run() {
    if (easy_ == nullptr || multi_ == nullptr || !SetUp()) return End(HttpEnd::kNoConnection, "curl cannot be set up");
    curl_multi_add_handle(multi_.get(), easy_.get());
    HttpResult result = Drive();
    curl_multi_remove_handle(multi_.get(), easy_.get());
    return result;
  }

 private:
  bool SetUp() {
    curl_slist* list = nullptr;
    for (const std::string& header : request_.headers) list = curl_slist_append(list, header.c_str());
    list = curl_slist_append(list, "Expect:");  // no pause for "100 Continue"
    headers_.reset(list);
    CURL* const easy = easy_.get();
    const std::string no_proxy = NoProxy();
    curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, no_proxy.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(std::max<int64_t>(1, absl::ToInt64Milliseconds(limits_.connect))));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
    return curl_easy_setopt(easy, CURLOPT_WRITEDATA, this) == CURLE_OK;
  }

  HttpResult Drive() {
    started_ = std::chrono::steady_clock::now();
    for (;;) {
      int running = 0;
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return End(HttpEnd::kCut, "curl failed");
      if (running == 0) return Finished();
      if (cancelled_ && cancelled_()) return End(HttpEnd::kCancelled, "cancelled");
      if (auto limit = PassedLimit()) return *std::move(limit);
      curl_multi_poll(multi_.get(), nullptr, 0, kPollMillis, nullptr);
    }
  }

  std::optional<HttpResult> PassedLimit() {
    const SteadyTime now = std::chrono::steady_clock::now();
    auto passed = [now](SteadyTime since, absl::Duration limit) {
      return now - since > absl::ToChronoNanoseconds(limit);
    };
    auto after = [](absl::Duration limit) { return absl::FormatDuration(limit); };
    if (!connected_.has_value() && Info(CURLINFO_PRETRANSFER_TIME_T) > 0) connected_ = now;
    if (passed(started_, limits_.total)) {
      return End(HttpEnd::kTotalTimeout, absl::StrCat("no end after ", after(limits_.total), " (total_timeout_s)"));
    }
    if (last_byte_.has_value()) {
      if (passed(*last_byte_, limits_.idle)) {
        return End(HttpEnd::kIdleTimeout, absl::StrCat("no byte for ", after(limits_.idle), " (idle_timeout_s)"));
      }
    } else if (connected_.has_value() && passed(*connected_, limits_.first_byte)) {
      return End(HttpEnd::kFirstByteTimeout,
                 absl::StrCat("no answer after ", after(limits_.first_byte), " (first_byte_timeout_s)"));
    }
    return std::nullopt;
  }

  HttpResult Finished() {
    int left = 0;
    const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left);
    const CURLcode code = message == nullptr ? CURLE_RECV_ERROR : message->data.result;
    const std::string why = error_[0] != '\0' ? std::string(error_) : curl_easy_strerror(code);
    switch (code) {
      case CURLE_OK:
        return End(HttpEnd::kComplete, "");
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_OPERATION_TIMEDOUT:  // only the connect limit is curl's
        return End(HttpEnd::kNoConnection, why);
      case CURLE_PEER_FAILED_VERIFICATION:
        return End(HttpEnd::kUntrusted, why);
      default:
        break;
    }
    if (stopped_) return End(HttpEnd::kStopped, "");
    return End(last_byte_.has_value() ? HttpEnd::kCut : HttpEnd::kNoAnswer, why);
  }

  HttpResult End(HttpEnd end, std::string detail) {
    return {.end = end,
            .head = head_,
            .sent = easy_ != nullptr && Info(CURLINFO_SIZE_UPLOAD_T) >= static_cast<int64_t>(request_.body.size()) &&
                    Info(CURLINFO_PRETRANSFER_TIME_T) > 0,
            .answered = last_byte_.has_value(),
            .detail = std::move(detail)};
  }

  int64_t Info(CURLINFO what) const {
    curl_off_t value = 0;
    curl_easy_getinfo(easy_.get(), what, &value);
    return value;
  }

  static size_t OnHeader(char* data, size_t size, size_t count, void* self) {
    return static_cast<Transfer*>(self)->AddHeader(absl::string_view(data, size * count)) ? size * count : 0;
  }

  bool AddHeader(absl::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMaxHeaderBytes) return false;
    if (absl::StartsWith(line, "HTTP/")) {  // also after an interim reply
      head_ = {};
    } else if (const size_t colon = line.find(':'); colon != absl::string_view::npos) {
      head_.headers[absl::AsciiStrToLower(line.substr(0, colon))] =
          std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    }
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    head_.status = static_cast<int>(status);
    return true;
  }

  static size_t OnBody(char* data, size_t size, size_t count, void* self) {
    auto* const transfer = static_cast<Transfer*>(self);
    transfer->last_byte_ = std::chrono::steady_clock::now();
    if (transfer->sink_(transfer->head_, absl::string_view(data, size * count))) return size * count;
    transfer->stopped_ = true;
    return size * count + 1;  // any other number than was given ends the transfer
  }

  const HttpRequest& request_;
  const HttpLimits& limits_;
  const BodySink& sink_;
  const CancelCheck& cancelled_;
  std::unique_ptr<CURL, EasyCloser> easy_;
  std::unique_ptr<CURLM, MultiCloser> multi_;
  std::unique_ptr<curl_slist, ListCloser> headers_;
  char error_[CURL_ERROR_SIZE] = {};
  HttpHead head_;
  size_t header_bytes_ = 0;
  SteadyTime started_;
  std::optional<SteadyTime> connected_;
  std::optional<SteadyTime> last_byte_;
  bool stopped_ = false;
};

}  // namespace

HttpResult PostOnce(const HttpRequest& request, const HttpLimits& limits, const BodySink& sink,
                    const CancelCheck& cancelled) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return Transfer(request, limits, sink, cancelled).Run();
}

}  // namespace kernelsmith::server
