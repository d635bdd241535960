#include "common/model/http_post.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kernelsmith::common {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(5);

struct EasyCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// What curl's callbacks write into.
struct Incoming {
  PostReply reply;
  size_t longest = 0;
  bool too_long = false;
};

size_t OnBody(char* data, size_t size, size_t count, void* self) {
  auto& incoming = *static_cast<Incoming*>(self);
  incoming.too_long = incoming.reply.body.size() + size * count > incoming.longest;
  if (incoming.too_long) return 0;  // ends the transfer
  incoming.reply.body.append(data, size * count);
  return size * count;
}

size_t OnHeader(char* data, size_t size, size_t count, void* self) {
  const absl::string_view line(data, size * count);
  constexpr absl::string_view kName = "retry-after:";
  if (absl::StartsWithIgnoreCase(line, kName)) {
    const std::string value(absl::StripAsciiWhitespace(line.substr(kName.size())));
    static_cast<Incoming*>(self)->reply.retry_after = ParseRetryAfter(value, absl::Now());
  }
  return size * count;
}

int OnProgress(void* cancelled, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(cancelled))() ? 1 : 0;  // 1 ends the transfer
}

long Millis(absl::Duration duration) {
  return static_cast<long>(std::max<int64_t>(1, absl::ToInt64Milliseconds(duration)));
}

}  // namespace

std::optional<absl::Duration> ParseRetryAfter(const std::string& value, absl::Time now) {
  double seconds = 0;
  if (absl::SimpleAtod(value, &seconds)) {
    if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
    return absl::Seconds(seconds);
  }
  const time_t date = curl_getdate(value.c_str(), nullptr);
  if (date == -1) return std::nullopt;
  return std::max(absl::FromTimeT(date) - now, absl::ZeroDuration());
}

absl::StatusOr<PostReply> Post(const PostRequest& request) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const std::unique_ptr<CURL, EasyCloser> owned(curl_easy_init());
  CURL* const easy = owned.get();
  if (easy == nullptr) return absl::UnavailableError("curl cannot be set up");
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl_slist_append(list, header.c_str());
  list = curl_slist_append(list, "Expect:");  // no pause for "100 Continue"
  const std::unique_ptr<curl_slist, ListCloser> headers(list);
  Incoming incoming{.longest = request.longest_reply};
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, Millis(std::min(kConnectTimeout, request.timeout)));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, Millis(request.timeout));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &incoming);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &incoming);
  if (request.cancelled) {
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &OnProgress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &request.cancelled);
  }
  const CURLcode code = curl_easy_perform(easy);
  if (code == CURLE_ABORTED_BY_CALLBACK) return absl::CancelledError("cancelled");
  if (incoming.too_long) {
    return absl::UnavailableError(absl::StrCat("the reply is longer than ", request.longest_reply, " bytes"));
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return absl::UnavailableError(absl::StrCat("no answer within ", absl::FormatDuration(request.timeout)));
  }
  if (code != CURLE_OK) return absl::UnavailableError(curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  incoming.reply.status = static_cast<int>(status);
  return std::move(incoming.reply);
}

}  // namespace kernelsmith::common
