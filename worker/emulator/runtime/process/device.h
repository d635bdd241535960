// The emulated card: takes messages of its one client, runs tasks one after the other, and tells through shared memory
// how far it is. One thread; what takes long (kernels) runs in processes of its own.
//
// Example:
//   Device device(soc, options);
//   return device.Run();       // until the client is gone
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "worker/emulator/runtime/message_socket.h"
#include "worker/emulator/runtime/process/device_clock.h"
#include "worker/emulator/runtime/process/executor_process.h"
#include "worker/emulator/runtime/process/findings_output.h"
#include "worker/emulator/runtime/process/notices.h"
#include "worker/emulator/runtime/protocol.h"
#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

// The file of a descriptor, in memory as long as this object.
class MappedFile {
 public:
  // Takes the descriptor. data() is null if there is no memory.
  MappedFile(int descriptor, uint64_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  void* data() const { return data_; }

 private:
  uint64_t bytes_;
  void* data_ = nullptr;
};

struct DeviceOptions {
  int number = 0;  // of the card on the machine
  uint64_t memory_base = 0;
  uint64_t memory_bytes = 0;
  int client = 0;  // process id
  int socket = kSocketDescriptor;
  Control* control = nullptr;
  uint64_t wall_limit_ms = 0;  // KERNELSMITH_EMULATED_WALL_LIMIT_MS, 0 if unset
};

class Device {
 public:
  Device(v1::Soc soc, const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Until the client is gone.
  void Run();

 private:
  struct Task {
    Message message;
    std::vector<std::byte> payload;
    std::unique_ptr<MappedFile> file;  // of a copy between host and device
  };
  struct Running {
    Task task;
    Launch launch;
    std::unique_ptr<ExecutorProcess> executor;
    std::chrono::steady_clock::time_point deadline;
    std::chrono::milliseconds wall;
    bool aborted = false;
  };
  struct LoadedImage {
    int descriptor = -1;
    bool auto_sync = true;
  };

  // False when the client is gone.
  bool ReadMessages();
  void Handle(const Message& message, std::vector<std::byte> payload, int descriptor);
  void Answer(const Message& question);
  void Drop(bool everything, uint32_t stream);

  // Begins the next task; ends it too, unless it is a launch.
  void Advance();
  void Copy(const Task& task);
  void StartLaunch(Task task);
  // What the message of a launch asks for; values point into the payload.
  bool DecodeLaunch(const Task& task, Launch& launch, std::string& why);
  void FinishLaunch();
  void Fail(const Message& task, int code, const std::string& text);
  void Complete(const Message& task);
  // Waits until there is something to read or a deadline.
  void WaitForEvents();
  bool InMemory(uint64_t address, uint64_t bytes) const;

  const v1::Soc soc_;
  const DeviceOptions options_;
  DeviceClock clock_;
  FindingsOutput findings_;
  Notices notices_;
  LaunchLog log_;
  std::string report_;     // being read by the client
  uint64_t reported_ = 0;  // number of its last launch
  std::deque<Task> queue_;
  std::unique_ptr<Running> running_;
  std::map<uint64_t, LoadedImage> images_;
  std::map<uint64_t, uint64_t> allocations_;  // address, bytes
  std::set<uint32_t> stopping_;               // streams in stop mode
  std::set<uint32_t> broken_;                 // of these, those on which a task failed
  uint64_t timeout_us_ = 0;
};

}  // namespace kernelsmith::emulator
