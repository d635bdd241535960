#include "memory/log/embedding_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/file_io.h"
#include "common/hash.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {
namespace {

std::string Key(int number) { return common::Sha256Hex(std::to_string(number)); }

class EmbeddingStoreTest : public ::testing::Test {
 protected:
  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("embedding-store");
  std::unique_ptr<FactStore> store_ = *FactStore::Open(folder_.path());
};

TEST_F(EmbeddingStoreTest, GivesBackEveryBitOfAVectorAlsoAfterAReopen) {
  const Vector vector = {0.1f, -0.0f, std::numeric_limits<float>::denorm_min(), 1e30f};
  EmbeddingStore(store_->rocks(), 100).Put(Key(1), vector);
  store_.reset();
  store_ = *FactStore::Open(folder_.path());
  EmbeddingStore cache(store_->rocks(), 100);
  EXPECT_EQ(cache.Get(Key(1)), vector);
  EXPECT_TRUE(std::signbit((*cache.Get(Key(1)))[1]));
  EXPECT_EQ(cache.Get(Key(2)), std::nullopt);
  EXPECT_EQ(cache.count(), 1);
}

TEST_F(EmbeddingStoreTest, ForgetsSomeRatherThanGrow) {
  EmbeddingStore cache(store_->rocks(), 64);
  for (int i = 0; i < 1000; ++i) cache.Put(Key(i), {static_cast<float>(i)});
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::optional<Vector> vector = cache.Get(Key(i));
    if (!vector) continue;
    ++kept;
    EXPECT_EQ((*vector)[0], static_cast<float>(i));
  }
  EXPECT_EQ(kept, cache.count());
  EXPECT_LE(kept, 64);
  EXPECT_GE(kept, 60);
}

TEST_F(EmbeddingStoreTest, CountsAVectorThatIsPutAgainOnce) {
  EmbeddingStore cache(store_->rocks(), 64);
  cache.Put(Key(1), {1});
  cache.Put(Key(1), {1});
  EXPECT_EQ(cache.count(), 1);
}

TEST_F(EmbeddingStoreTest, HasNothingForWhatIsNoKeyOrNoVector) {
  EmbeddingStore cache(store_->rocks(), 64);
  for (const std::string& key : {std::string(), std::string(64, 'x'), std::string(63, 'a')}) {
    cache.Put(key, {1});
    EXPECT_EQ(cache.Get(key), std::nullopt);
  }
  const std::string stored(32, '\xaa');
  for (const std::string& value : {std::string(),
                                   std::string("\x01"
                                               "abc"),
                                   std::string("\x02"
                                               "abcd")}) {
    ASSERT_TRUE(store_->rocks().db().Put({}, store_->rocks().family(kEmbeddings), stored, value).ok());
    EXPECT_EQ(cache.Get(std::string(64, 'a')), std::nullopt);
  }
}

}  // namespace
}  // namespace kernelsmith::memory
