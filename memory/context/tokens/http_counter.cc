#include "memory/context/tokens/http_counter.h"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestReply = size_t{16} << 20;  // the ids of the tokens come along
constexpr size_t kIdleConnections = 8;
constexpr size_t kShownOfReply = 200;

// {"count": n, ...}
absl::StatusOr<int64_t> CountIn(const std::string& reply) {
  const nlohmann::json json = nlohmann::json::parse(reply, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    const auto count = json.find("count");
    if (count != json.end() && count->is_number_unsigned()) return count->get<int64_t>();
  }
  return absl::UnavailableError(
      absl::StrCat("the reply has no \"count\": ", reply.substr(0, std::min(reply.size(), kShownOfReply))));
}

}  // namespace

// One kept connection.
class HttpTokenCounter::Connection {
 public:
  Connection() : easy_(curl_easy_init()) {
    headers_.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
  }

  absl::StatusOr<std::string> Post(const std::string& url, const std::string& body, absl::Duration timeout) {
    if (easy_ == nullptr || headers_ == nullptr) return absl::UnavailableError("curl cannot be set up");
    CURL* const easy = easy_.get();
    reply_.clear();
    const auto millis = static_cast<long>(std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout)));
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, millis);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Connection::OnBody);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    const CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK) return absl::UnavailableError(absl::StrCat(url, ": ", curl_easy_strerror(code)));
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) {
      return absl::UnavailableError(absl::StrCat(url, " answers ", status, ": ", reply_.substr(0, kShownOfReply)));
    }
    return std::move(reply_);
  }

 private:
  struct EasyCloser {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct ListCloser {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static size_t OnBody(char* data, size_t size, size_t count, void* self) {
    std::string& reply = static_cast<Connection*>(self)->reply_;
    if (reply.size() + size * count > kLongestReply) return 0;  // ends the transfer
    reply.append(data, size * count);
    return size * count;
  }

  std::unique_ptr<CURL, EasyCloser> easy_;
  std::unique_ptr<curl_slist, ListCloser> headers_;
  std::string reply_;
};

absl::StatusOr<std::unique_ptr<HttpTokenCounter>> HttpTokenCounter::Create(Options options,
                                                                           const common::Clock& clock) {
  if (!absl::StartsWith(options.url, "http://") && !absl::StartsWith(options.url, "https://")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", options.url, "' is no http:// or https:// url of a model server"));
  }
  absl::string_view base = options.url;
  for (const absl::string_view tail : {"/", "/tokenize", "/", "/v1", "/"}) base = absl::StripSuffix(base, tail);
  std::string endpoint = absl::StrCat(base, "/tokenize");
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return std::unique_ptr<HttpTokenCounter>(new HttpTokenCounter(std::move(endpoint), std::move(options), clock));
}

HttpTokenCounter::HttpTokenCounter(std::string endpoint, Options options, const common::Clock& clock)
    : AskingTokenCounter(absl::StrCat("http (", options.model.empty() ? endpoint : options.model, ")"), clock),
      endpoint_(std::move(endpoint)),
      options_(std::move(options)) {}

HttpTokenCounter::~HttpTokenCounter() = default;

std::unique_ptr<HttpTokenCounter::Connection> HttpTokenCounter::TakeConnection() const {
  {
    common::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return std::make_unique<Connection>();
}

absl::StatusOr<int64_t> HttpTokenCounter::Ask(absl::string_view text) const {
  nlohmann::json body;
  if (!options_.model.empty()) body["model"] = options_.model;
  body["prompt"] = std::string(text);
  // Bytes that are no UTF-8 become replacement characters, as the model will see them.
  const std::string json = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::unique_ptr<Connection> connection = TakeConnection();
  ASSIGN_OR_RETURN(const std::string reply, connection->Post(endpoint_, json, options_.timeout));
  {
    common::MutexLock lock(mutex_);
    if (idle_.size() < kIdleConnections) idle_.push_back(std::move(connection));
  }
  return CountIn(reply);
}

}  // namespace kernelsmith::memory
