#include "tests/server/model/scripted_model_server.h"

#include <httplib.h>

#include <fstream>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::server {

struct ScriptedModelServer::Listener {
  std::thread thread;
};

ScriptedModelServer::ScriptedModelServer(ModelScript script, std::string request_log)
    : script_(std::move(script)),
      request_log_(std::move(request_log)),
      server_(std::make_unique<httplib::Server>()),
      listener_(std::make_unique<Listener>()) {
  server_->Post(".*",
                [this](const httplib::Request& request, httplib::Response& response) { Handle(request, response); });
  server_->set_keep_alive_max_count(1);
  server_->new_task_queue = [] { return new httplib::ThreadPool(32); };
  port_ = server_->bind_to_any_port("127.0.0.1");
  listener_->thread = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

ScriptedModelServer::~ScriptedModelServer() {
  Release();
  server_->stop();
  listener_->thread.join();
}

std::string ScriptedModelServer::base_url() const { return absl::StrCat("http://127.0.0.1:", port_, "/v1"); }

std::vector<RecordedRequest> ScriptedModelServer::requests() const {
  common::MutexLock lock(mutex_);
  return requests_;
}

int ScriptedModelServer::most_in_flight() const {
  common::MutexLock lock(mutex_);
  return most_in_flight_;
}

bool ScriptedModelServer::WaitForRequests(size_t count) const {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  common::MutexLock lock(mutex_);
  while (requests_.size() < count && absl::Now() < deadline) changed_.WaitUntil(mutex_, deadline);
  return requests_.size() >= count;
}

void ScriptedModelServer::Release() {
  common::MutexLock lock(mutex_);
  released_ = true;
  changed_.NotifyAll();
}

bool ScriptedModelServer::Released() const {
  common::MutexLock lock(mutex_);
  return released_;
}

void ScriptedModelServer::Hold() const {
  common::MutexLock lock(mutex_);
  while (!released_) changed_.Wait(mutex_);
}

ScriptedReply ScriptedModelServer::Next(RecordedRequest recorded) {
  const std::string key = recorded.headers["idempotency-key"];
  ScriptedReply reply{.status = 500, .text = "the script is over"};
  size_t index = 0;
  {
    common::MutexLock lock(mutex_);
    index = requests_.size();
    requests_.push_back(std::move(recorded));
    most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
    const auto answered = answered_keys_.find(key);
    if (script_.same_reply_for_same_key && answered != answered_keys_.end()) {
      reply = script_.replies[answered->second];
    } else if (next_ < script_.replies.size()) {
      if (script_.replies[next_].status == 200) answered_keys_[key] = next_;
      reply = script_.replies[next_++];
    } else if (script_.repeat_last && !script_.replies.empty()) {
      reply = script_.replies.back();
    }
    changed_.NotifyAll();
  }
  WriteLog(index, key, reply.status);
  return reply;
}

void ScriptedModelServer::WriteLog(size_t index, const std::string& key, int status) {
  if (request_log_.empty()) return;
  const nlohmann::json line = {{"index", index}, {"idempotency_key", key}, {"status", status}};
  common::MutexLock lock(mutex_);
  std::ofstream(request_log_, std::ios::app) << line.dump() << "\n" << std::flush;
}

void ScriptedModelServer::Handle(const httplib::Request& request, httplib::Response& response) {
  RecordedRequest recorded{.path = request.path,
                           .body = nlohmann::json::parse(request.body, nullptr, /*allow_exceptions=*/false),
                           .raw_body = request.body};
  if (recorded.body.is_discarded()) recorded.body = nullptr;
  for (const auto& [name, value] : request.headers) recorded.headers[absl::AsciiStrToLower(name)] = value;
  const bool wants_stream = recorded.body.is_object() && recorded.body.value("stream", false);
  std::string prompt;
  if (recorded.body.is_object() && recorded.body.contains("messages")) {
    for (const auto& message : recorded.body["messages"]) prompt += message.value("content", "") + "\n";
  }
  const ScriptedReply reply = Next(std::move(recorded));
  const bool stream = reply.stream.value_or(wants_stream);
  if (reply.fault == Fault::kHoldFirstByte) Hold();
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  const auto pieces = WirePieces(reply, stream, WithAdoption(reply.text, prompt));
  const size_t stop_at =
      reply.fault == Fault::kNone || reply.fault == Fault::kHoldFirstByte ? pieces.size() : (pieces.size() + 1) / 2;
  response.set_chunked_content_provider(
      stream && reply.status == 200 ? "text/event-stream" : "application/json",
      [this, pieces, stop_at, fault = reply.fault, next = size_t{0}](size_t, httplib::DataSink& sink) mutable {
        if (next < stop_at) return sink.write(pieces[next].data(), pieces[next].size()) && ++next > 0;
        if (fault == Fault::kCutStream) return false;
        if (next < pieces.size()) {  // held
          if (!sink.is_writable()) return false;
          if (!Released()) {
            common::MutexLock lock(mutex_);
            if (!released_) changed_.WaitFor(mutex_, absl::Milliseconds(10));
            return true;
          }
          return sink.write(pieces[next].data(), pieces[next].size()) && ++next > 0;
        }
        sink.done();
        return true;
      },
      [this](bool) {
        common::MutexLock lock(mutex_);
        --in_flight_;
      });
}

}  // namespace kernelsmith::server
