#include "memory/retrieval/search/side_thread.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace kernelsmith::memory {
namespace {

TEST(SideThread, DoesTheWorkElsewhereAndIsFreeAfterJoin) {
  SideThread side;
  for (int i = 0; i < 3; ++i) {
    std::thread::id ran;
    ASSERT_TRUE(side.TryStart([&] { ran = std::this_thread::get_id(); }));
    side.Join();
    EXPECT_NE(ran, std::thread::id());
    EXPECT_NE(ran, std::this_thread::get_id());
  }
}

TEST(SideThread, RefusesASecondCallerUntilTheFirstHasJoined) {
  SideThread side;
  ASSERT_TRUE(side.TryStart([] {}));
  EXPECT_FALSE(side.TryStart([] { ADD_FAILURE() << "refused work ran"; }));
  side.Join();
  EXPECT_TRUE(side.TryStart([] {}));
  side.Join();
}

TEST(SideThread, EveryCallerGetsItsOwnWorkDone) {
  SideThread side;
  std::atomic<int> aside = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 2000; ++i) {
        int got = -1;
        const auto work = [&got, caller, i] { got = caller * 10'000 + i; };
        if (side.TryStart(work)) {
          side.Join();
          ++aside;
        } else {
          work();
        }
        EXPECT_EQ(got, caller * 10'000 + i);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(aside, 0);
}

}  // namespace
}  // namespace kernelsmith::memory
