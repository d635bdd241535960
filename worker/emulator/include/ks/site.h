// How a header function learns where it was called from: a defaulted last parameter.
//
// Example:
//   template <typename T> __aicore__ inline void Add(..., uint32_t count, KS_SITE) {
//     const kse_where where = site.In("Add");
//     kse_add(..., &where);
//   }
#pragma once

#include "ks/abi.h"
#include "ks/base.h"

namespace ks {

struct Site {
  const char* file;
  uint32_t line;

  KS_BOTH static constexpr Site Here(const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) {
    return Site{file, line};
  }
  __aicore__ constexpr kse_where In(const char* operation) const { return kse_where{operation, file, line}; }
};

}  // namespace ks

#define KS_SITE ks::Site site = ks::Site::Here()
