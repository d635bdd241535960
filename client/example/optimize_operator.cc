// Submits one operator, shows its rounds, and fetches the best kernel:
//   optimize_operator 127.0.0.1:7400 softmax.py best-softmax
#include <iostream>
#include <string>

#include "kernelsmith/client/client.h"
#include "kernelsmith/client/kernel_folder.h"
#include "kernelsmith/client/task.h"

namespace {

namespace client = kernelsmith::client;
namespace v1 = kernelsmith::v1;

void ShowRound(const v1::RoundRecorded& round) {
  std::cout << "round " << round.round() << ": " << v1::EvaluationStatus_Name(round.status());
  if (round.latency_us() > 0) std::cout << ", " << round.latency_us() << " us";
  std::cout << "\n";
}

absl::Status Optimize(const std::string& address, const std::string& task_file, const std::string& folder) {
  absl::StatusOr<client::Client> server = client::Client::Connect({.address = address});
  if (!server.ok()) return server.status();

  v1::JobSpec spec;
  absl::StatusOr<v1::TaskSource> task = client::LoadTask(task_file);
  if (!task.ok()) return task.status();
  *spec.mutable_task() = *std::move(task);
  spec.mutable_budget()->set_rounds(8);

  const absl::StatusOr<v1::SubmitJobResponse> submitted = server->SubmitJob(spec);
  if (!submitted.ok()) return submitted.status();
  const std::string job_id = submitted->job().id();
  std::cout << "job " << job_id << "\n";

  const absl::Status watched = server->WatchJob(job_id, {}, [](const v1::JobEvent& event) {
    if (event.has_round_recorded()) ShowRound(event.round_recorded());
    return true;
  });
  if (!watched.ok()) return watched;

  const absl::StatusOr<client::KernelEvidence> evidence = client::FetchEvidence(*server, nullptr, job_id);
  if (!evidence.ok()) return evidence.status();
  std::cout << "best: " << evidence->job.best_us() << " us, in " << folder << "\n";
  return client::WriteKernelFolder(*evidence, folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: optimize_operator HOST:PORT TASK.py FOLDER\n";
    return 2;
  }
  const absl::Status status = Optimize(argv[1], argv[2], argv[3]);
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
