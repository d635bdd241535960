// A model server that says what its script says, over real HTTP on a free loopback port. For tests of whatever calls
// models.
//
//   ScriptedModelServer server({.replies = {{.status = 429, .headers = {{"Retry-After", "1"}}}, {.text = "Hello"}}});
//   ... POST server.base_url() + "/chat/completions" ...
//   EXPECT_EQ(server.requests().size(), 2);
//   EXPECT_EQ(server.requests()[0].body["model"], "m");
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/mutex.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace kernelsmith::server {

// How a reply misbehaves.
enum class Fault {
  kNone,
  kHoldFirstByte,  // says nothing until the server is released or stopped
  kHoldStream,     // says nothing more after half of the body
  kCutStream,      // closes the connection after half of the body
};

struct ScriptedReply {
  int status = 200;
  // Of the assistant. "{{adopted}}" and "{{not_adopted}}" become JSON arrays with an adoption record for every item
  // that the request quotes (<ks-item id="...">).
  std::string text;
  std::optional<std::string> finish_reason = "stop";
  std::optional<nlohmann::json> usage = nlohmann::json{{"prompt_tokens", 1000}, {"completion_tokens", 100}};
  std::optional<bool> stream;  // absent: as the request asks
  bool done_line = true;       // a stream ends with [DONE]
  std::map<std::string, std::string> headers;
  std::optional<std::string> body;  // raw, instead of a completion with `text`
  size_t piece_bytes = 0;           // the body is written in pieces of this size; 0: a piece per event, or whole
  Fault fault = Fault::kNone;
};

struct ModelScript {
  std::vector<ScriptedReply> replies;
  bool repeat_last = false;  // else a request past the end gets status 500
  bool same_reply_for_same_key =
      false;  // an Idempotency-Key that got a reply with status 200 gets the same reply again
};

// The script as JSON: {"replies": [{"text": "...", "fault": "cut_stream", ...}], "repeat_last": true}. Field names as
// above; faults "hold_first_byte", "hold_stream" and "cut_stream"; null for no finish_reason or usage. INVALID_ARGUMENT
// names what is wrong.
absl::StatusOr<ModelScript> ModelScriptFromJson(absl::string_view text);

struct RecordedRequest {
  std::string path;
  std::map<std::string, std::string> headers;  // lower-case names
  nlohmann::json body;                         // null if it is no JSON
  std::string raw_body;
};

// Thread-safe. Listens from construction to destruction; destruction releases held replies.
class ScriptedModelServer {
 public:
  // Appends a line {"index", "idempotency_key", "status"} per request to `request_log` unless that is empty.
  explicit ScriptedModelServer(ModelScript script, std::string request_log = {});
  ~ScriptedModelServer();

  int port() const { return port_; }
  std::string base_url() const;
  std::vector<RecordedRequest> requests() const;
  // Most requests that were answered at the same time.
  int most_in_flight() const;
  // False if that many requests do not come within ten seconds.
  bool WaitForRequests(size_t count) const;
  // Ends every hold, present and future.
  void Release();

 private:
  void Handle(const httplib::Request& request, httplib::Response& response);
  ScriptedReply Next(RecordedRequest recorded);
  void WriteLog(size_t index, const std::string& key, int status);
  void Hold() const;
  bool Released() const;

  const ModelScript script_;
  const std::string request_log_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  struct Listener;
  std::unique_ptr<Listener> listener_;

  mutable common::Mutex mutex_;
  mutable common::CondVar changed_;
  std::vector<RecordedRequest> requests_ GUARDED_BY(mutex_);
  std::map<std::string, size_t> answered_keys_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;
  bool released_ GUARDED_BY(mutex_) = false;
  int in_flight_ GUARDED_BY(mutex_) = 0;
  int most_in_flight_ GUARDED_BY(mutex_) = 0;
};

// The body of a reply as it goes over the wire: one piece per event for a stream.
std::vector<std::string> WirePieces(const ScriptedReply& reply, bool stream, const std::string& text);

// `text` with {{adopted}} and {{not_adopted}} filled in for the items that `prompt` quotes.
std::string WithAdoption(std::string text, const std::string& prompt);

}  // namespace kernelsmith::server
