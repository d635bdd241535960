// Stands for a compiled candidate whose card is host memory: kernels over (x, y, tiling), tiling[0] floats.
#include <cstdint>

extern "C" int ks_launch_kernel(int index, uint32_t, void*, void** args) {
  auto* const x = static_cast<float*>(args[0]);
  auto* const y = static_cast<float*>(args[1]);
  const int32_t n = *static_cast<const int32_t*>(args[2]);
  for (int32_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  if (index == 1) y[n] = 7;
  if (index == 2) x[0] += 1;
  if (index == 3) y[-1] = 7;
  return 0;
}
