// What a process holds of ACL: contexts, streams, events, cards and registered images. Handles are the addresses of
// these objects; what was destroyed is recognised.
//
// A child of fork starts with an empty state but for its images: cards belong to the process that set them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/mutex.h"
#include "worker/emulator/runtime/client/card.h"
#include "worker/emulator/runtime/client/settings.h"

namespace kernelsmith::emulator::acl {

struct Context;

struct Stream {
  std::weak_ptr<Context> context;
  std::shared_ptr<Card> card;
  uint32_t number = 0;
  std::atomic<uint64_t> last = 0;  // sequence number of its last task
  std::atomic<bool> stop = false;  // failure mode
};

struct Context {
  int device = 0;
  std::shared_ptr<Card> card;
  std::shared_ptr<Stream> default_stream;
  common::Mutex mutex;
  Failure failure GUARDED_BY(mutex);  // what a failed task of a stream in stop mode leaves for good
};

struct Event {
  std::shared_ptr<Card> card;
  uint32_t slot = 0;
  uint32_t flags = 0;
  bool extended = false;  // made by aclrtCreateEventExWithFlag
  common::Mutex mutex;
  uint64_t recorded GUARDED_BY(mutex) = 0;  // sequence number, 0 never
  std::shared_ptr<Stream> stream GUARDED_BY(mutex);
  ~Event() { card->ReturnEvent(slot); }
};

struct Image {
  uint64_t number = 0;
  const void* bytes = nullptr;
  size_t size = 0;
  std::vector<std::byte> owned;      // when loaded from a file or copied
  std::vector<std::string> kernels;  // names it exports
};

struct Kernel {
  std::shared_ptr<Image> image;
  std::string name;
};

class ProcessState {
 public:
  static ProcessState& Get();

  // Settings as they were at the first use.
  const Settings& settings() const { return settings_; }

  common::Mutex mutex;

  // How often aclInit was called without its aclFinalize, and whether that happened before.
  int initialized GUARDED_BY(mutex) = 0;
  bool finalized GUARDED_BY(mutex) = false;

  struct Use {
    std::shared_ptr<Card> card;
    std::shared_ptr<Context> context;  // the default one
    int references = 0;
  };
  std::map<int, Use> cards GUARDED_BY(mutex);
  std::unordered_map<void*, std::shared_ptr<Context>> contexts GUARDED_BY(mutex);
  std::unordered_map<void*, std::shared_ptr<Stream>> streams GUARDED_BY(mutex);
  std::unordered_map<void*, std::shared_ptr<Event>> events GUARDED_BY(mutex);
  std::unordered_map<void*, std::shared_ptr<Image>> images GUARDED_BY(mutex);
  std::unordered_map<const void*, Kernel> kernels GUARDED_BY(mutex);  // by stub, or by function handle
  uint64_t timeout_us GUARDED_BY(mutex) = 0;                          // as in force; 0: the default
  uint64_t next_image GUARDED_BY(mutex) = 1;

 private:
  ProcessState() : settings_(ReadSettings()) {}
  static void InstallForkHandlers();

  const Settings settings_;
};

// The context of this thread, or null.
std::shared_ptr<Context> CurrentContext();
void SetCurrentContext(const std::shared_ptr<Context>& context);

// By handle; null for what is not, or no longer, there. A null stream is the default stream of the current context.
std::shared_ptr<Stream> FindStream(void* handle);
std::shared_ptr<Event> FindEvent(void* handle);

}  // namespace kernelsmith::emulator::acl
