#include <pthread.h>

#include <thread>
#include <utility>

#include "client/lib/memory_channel.h"

namespace kernelsmith::client {
namespace {

using Stream = grpc::ClientReaderWriter<v1::ImportRequest, v1::ImportStatus>;

// Writes until there are no more rows. OK also if the server ended the stream: its status says why.
absl::Status WriteRows(Stream& stream, const std::string& resume_token, const MemoryClient::NextRow& next) {
  v1::ImportRequest request;
  request.set_resume_token(resume_token);
  for (;;) {
    absl::StatusOr<std::optional<v1::ExchangeRow>> row = next();
    if (!row.ok()) return row.status();
    if (!row->has_value()) return absl::OkStatus();
    *request.mutable_row() = *std::move(*row);
    if (!stream.Write(request)) return absl::OkStatus();
    request.clear_resume_token();
  }
}

}  // namespace

absl::Status MemoryClient::Import(const std::string& resume_token, const NextRow& next,
                                  const std::function<void(const v1::ImportStatus&)>& on_status,
                                  std::stop_token stop) const {
  const auto context = channel_->Context(absl::InfiniteDuration());
  const std::stop_callback cancel(stop, [&context] { context->TryCancel(); });
  const auto stream = channel_->stub->Import(context.get());
  absl::Status source;
  std::jthread writer([&] {
    pthread_setname_np(pthread_self(), "ks-import");
    source = WriteRows(*stream, resume_token, next);
    stream->WritesDone();
  });
  v1::ImportStatus status;
  while (stream->Read(&status)) on_status(status);
  writer.join();
  const absl::Status ended = channel_->Explain(stream->Finish());
  if (stop.stop_requested()) return absl::CancelledError("the import was stopped by its caller");
  return source.ok() ? ended : source;
}

}  // namespace kernelsmith::client
