// WelfordUpdate and WelfordFinalize: mean and variance of a row that comes in parts.
#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {

// mean_i = mean_(i-1) + (x_i - mean_(i-1)) / i; m_i = m_(i-1) + (x_i - mean_(i-1)) (x_i - mean_i).
void WelfordUpdate(Call& call) {
  const uint64_t length = call.size(0);
  const uint64_t counted = call.size(1);
  if (counted == 0 || counted > length) return call.Forbid("abComputeLength has to be 1 to abLength");
  const bool in_place = call.Has(KSE_IN_PLACE);
  const uint64_t written = in_place ? length : counted;
  const Values mean = call.Read(0, Row(written));
  const Values m2 = call.Read(1, Row(written));
  const Values x = call.Read(2, Row(counted));
  Values new_mean = mean;
  Values new_m2 = m2;
  for (uint64_t i = 0; i < counted; ++i) {
    const double delta = x(0, i) - mean(0, i);
    new_mean(0, i) = mean(0, i) + delta * call.real(0);
    new_m2(0, i) = m2(0, i) + delta * (x(0, i) - new_mean(0, i));
    new_mean.Defined(0, i) = x.Defined(0, i) & mean.Defined(0, i);
    new_m2.Defined(0, i) = new_mean.Defined(0, i) & m2.Defined(0, i);
  }
  call.Write(0, Row(written), std::move(new_mean));
  call.Write(1, Row(written), std::move(new_m2));
  call.Finish(6);
}

// Without counts: mean = sum(mean_i) / ab, variance = (sum(m_i) + rn sum((mean_i - mean)^2)) / r. With counts (a
// tensor, or a head and a tail of equal ones) those weigh the means.
void WelfordFinalize(Call& call) {
  const uint64_t rounds = call.size(0);
  const uint64_t length = call.size(1);
  const uint64_t head = call.size(2);
  const uint64_t head_length = call.size(3);
  const uint64_t tail = call.size(4);
  const uint64_t tail_length = call.size(5);
  if (length == 0) return call.Forbid("abLength is 0");
  const Values means = call.Read(0, Row(length));
  const Values squares = call.Read(1, Row(length));
  Values counts(1, length);
  if (call.HasIn(2)) {
    counts = call.Read(2, Row(length));
  } else {
    if (head_length + tail_length != length) {
      return call.Forbid("headCountLength and tailCountLength have to add up to abLength");
    }
    for (uint64_t i = 0; i < length; ++i) counts(0, i) = static_cast<double>(i < head_length ? head : tail);
  }
  const bool equal = !call.HasIn(2) && tail_length == 0;
  const double of_means = equal ? call.real(0) : call.real(1);
  const double of_squares = call.Has(KSE_NORM_RSTD) ? call.real(2) : call.real(1);
  Values mean(1, 1);
  Values variance(1, 1);
  for (uint64_t i = 0; i < length; ++i) mean(0, 0) += (equal ? 1 : counts(0, i)) * means(0, i) * of_means;
  for (uint64_t i = 0; i < length; ++i) {
    const double d = means(0, i) - mean(0, 0);
    variance(0, 0) += (squares(0, i) + (equal ? static_cast<double>(rounds) : counts(0, i)) * d * d) * of_squares;
  }
  mean.Defined(0, 0) = means.AllDefined() && counts.AllDefined() ? 1 : 0;
  variance.Defined(0, 0) = mean.Defined(0, 0) != 0 && squares.AllDefined() ? 1 : 0;
  call.Write(0, Row(1), std::move(mean));
  call.Write(1, Row(1), std::move(variance));
  call.Finish(9);
}

}  // namespace kernelsmith::emulator::library
