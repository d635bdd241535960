// What host code asks about the card it will launch on: numbers of cores, sizes of memories. Answers are those of the
// current device (device 0 where none is set), so that tiling follows the card and not a constant.
//
// Example:
//   auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
//   uint32_t cores = platform->GetCoreNumAiv();
//   uint64_t ub = 0;
//   platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
//
// Sizes of on-chip memories: the documented ones of architecture dav-2201.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"

enum class NpuArch : uint32_t {
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3510 = 3510,
};

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

// What stays unused of a core's own memory.
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

// Cards of the A3 series answer as those of the A2 series, as documented.
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910A = ASCEND910,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND910_93,
  ASCEND910_95,
  ASCEND950 = ASCEND910_95,
  RESERVED_VERSION = 99999
};

class PlatformAscendC {
 public:
  // In separated cores, as here, the number of vector cores.
  uint32_t GetCoreNum() const { return GetCoreNumAiv(); }
  uint32_t GetCoreNumAic() const { return Cores(ACL_DEVICE_INFO_AI_CORE_NUM); }
  uint32_t GetCoreNumAiv() const { return Cores(ACL_DEVICE_INFO_VECTOR_CORE_NUM); }
  // Of the 310P alone.
  uint32_t GetCoreNumVector() const { return 0; }

  // 0 where the device cannot be asked.
  void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
    switch (type) {
      case CoreMemType::L0_A:
      case CoreMemType::L0_B:
        bytes = 64 * 1024;
        break;
      case CoreMemType::L0_C:
        bytes = 128 * 1024;
        break;
      case CoreMemType::L1:
        bytes = 512 * 1024;
        break;
      case CoreMemType::UB:
        bytes = 192 * 1024 - reserved_;
        break;
      case CoreMemType::FB:
        bytes = 2 * 1024;
        break;
      case CoreMemType::BT:
        bytes = 1024;
        break;
      case CoreMemType::L2:
        bytes = Capability(ACL_DEVICE_INFO_L2_SIZE);
        break;
      case CoreMemType::HBM:
        bytes = TotalMemory();
        break;
      default:
        bytes = 0;
    }
  }

  // Bytes per cycle of the whole card: the profiler's published bandwidths of an Ascend910B3 (7.78 and 1.75 TB/s)
  // at 1.8 GHz. 0 for the memories whose bandwidth the documents call reserved. What a card answers is not published.
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
    bytes_per_cycle = type == CoreMemType::L2 ? 4322 : type == CoreMemType::HBM ? 972 : 0;
  }

  // The last call counts.
  void ReserveLocalMemory(ReservedSize size) {
    constexpr uint64_t kSizes[] = {8 * 1024, 16 * 1024, 32 * 1024};
    reserved_ = kSizes[static_cast<int>(size)];
  }

  SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }
  NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
  // Workspace that system functions of mix kernels ask for, in bytes.
  uint32_t GetLibApiWorkSpaceSize() const { return 16 * 1024 * 1024; }

  // Blocks for `slices` pieces of data: groups of a cube core and its vector cores where both are used.
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t cube_cores, uint32_t vector_cores) const {
    if (cube_cores == 0 || vector_cores == 0 || vector_cores < cube_cores) return slices;
    const uint32_t per_group = vector_cores / cube_cores;
    return (slices + per_group - 1) / per_group;
  }

 private:
  friend class PlatformAscendCManager;
  PlatformAscendC() = default;

  static uint64_t Capability(aclDeviceInfo info) {
    int32_t device = 0;
    if (aclrtGetDevice(&device) != ACL_SUCCESS) device = 0;
    int64_t value = 0;
    if (aclGetDeviceCapability(static_cast<uint32_t>(device), info, &value) != ACL_SUCCESS || value < 0) return 0;
    return static_cast<uint64_t>(value);
  }
  static uint32_t Cores(aclDeviceInfo info) { return static_cast<uint32_t>(Capability(info)); }
  static uint64_t TotalMemory() {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    return aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes) == ACL_SUCCESS ? total_bytes : 0;
  }

  uint64_t reserved_ = 0;
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance() {
    static PlatformAscendC platform;
    return &platform;
  }
  // The name counts on machines without a card; an emulated one is always there.
  static PlatformAscendC* GetInstance(const char* /*soc*/) { return GetInstance(); }
};

}  // namespace platform_ascendc
