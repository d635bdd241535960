#include "tests/bench/memory/load/closed_loop.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <vector>

#include "absl/time/clock.h"
#include "common/grpc/errors.h"
#include "common/grpc/server.h"

namespace kernelsmith::memory::bench {
namespace {

struct Call {
  int connection = 0;
  const std::string* request = nullptr;
  absl::Time sent;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  grpc::ByteBuffer response;
  grpc::Status status;
};

std::shared_ptr<grpc::Channel> Dial(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetMaxReceiveMessageSize(common::kMaxMessageBytes);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return out;
  for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return out;
}

class Loop {
 public:
  Loop(const LoopOptions& options, const std::function<const std::string*(int)>& next)
      : options_(options), next_(next) {
    for (int i = 0; i < options.connections; ++i) {
      stubs_.push_back(std::make_unique<grpc::GenericStub>(Dial(options.address)));
      outstanding_.push_back(0);
    }
  }

  void Run(const std::function<void(const Reply&)>& done) {
    FillWindows();
    while (total_ > 0) {
      void* tag = nullptr;
      bool ok = false;
      if (!queue_.Next(&tag, &ok)) return;
      const std::unique_ptr<Call> call(static_cast<Call*>(tag));
      Reply reply{.connection = call->connection,
                  .request = call->request,
                  .status = common::FromGrpc(call->status),
                  .latency = absl::Now() - call->sent};
      if (options_.keep_replies && reply.status.ok()) reply.bytes = BytesOf(call->response);
      --outstanding_[call->connection];
      --total_;
      done(reply);
      FillWindows();
    }
  }

 private:
  void FillWindows() {
    for (int i = 0; i < options_.connections; ++i) {
      while (outstanding_[i] < options_.window) {
        const std::string* request = next_(i);
        if (request == nullptr) break;
        Send(i, request);
      }
    }
  }

  void Send(int connection, const std::string* request) {
    auto call = std::make_unique<Call>();
    call->connection = connection;
    call->request = request;
    call->context = std::make_unique<grpc::ClientContext>();
    call->context->set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(options_.deadline));
    const grpc::Slice slice(request->data(), request->size(), grpc::Slice::STATIC_SLICE);
    call->sent = absl::Now();
    call->reader = stubs_[connection]->PrepareUnaryCall(call->context.get(), options_.method,
                                                        grpc::ByteBuffer(&slice, 1), &queue_);
    call->reader->StartCall();
    Call* started = call.release();
    started->reader->Finish(&started->response, &started->status, started);
    ++outstanding_[connection];
    ++total_;
  }

  const LoopOptions& options_;
  const std::function<const std::string*(int)>& next_;
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::vector<int> outstanding_;
  int total_ = 0;
};

}  // namespace

void RunClosedLoop(const LoopOptions& options, const std::function<const std::string*(int connection)>& next,
                   const std::function<void(const Reply&)>& done) {
  Loop(options, next).Run(done);
}

}  // namespace kernelsmith::memory::bench
