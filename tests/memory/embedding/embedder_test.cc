// The embedded embedder, the cache and the factory.
#include "memory/embedding/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

#include "common/hash.h"
#include "common/status.h"
#include "memory/embedding/embedding_cache.h"
#include "memory/embedding/hashed_embedder.h"
#include "memory/embedding/make_embedder.h"

namespace kernelsmith::memory {
namespace {

double Cosine(absl::string_view a, absl::string_view b) {
  HashedEmbedder embedder;
  const auto vectors = embedder.Embed({a, b});
  double sum = 0;
  for (size_t i = 0; i < (*vectors)[0].size(); ++i) sum += static_cast<double>((*vectors)[0][i]) * (*vectors)[1][i];
  return sum;
}

TEST(HashedEmbedderTest, EveryTextHasAFiniteVectorOfLengthOne) {
  HashedEmbedder embedder;
  const std::string megabyte(1 << 20, 'x');
  for (const absl::string_view text :
       {absl::string_view(""), absl::string_view("a"), absl::string_view(" .,;"), absl::string_view("\xff\xfe"),
        absl::string_view("向量加法 DataCopyPad"), absl::string_view(megabyte)}) {
    const auto vector = embedder.EmbedQuery(text);
    ASSERT_TRUE(vector.ok());
    ASSERT_EQ(vector->size(), 384);
    double square = 0;
    for (const float number : *vector) square += static_cast<double>(number) * number;
    EXPECT_NEAR(square, 1, 1e-5);
  }
}

TEST(HashedEmbedderTest, LikeIsNearerThanUnlike) {
  struct Row {
    const char* text;
    const char* near;
    const char* far;
  };
  const std::vector<Row> table = {
      {"DataCopyPad", "data_copy_pad", "ReduceMax"},
      {"softmax along rows", "softmaxes along a row", "transpose of a matrix"},
      {"error EZ9999 in kernel", "EZ9999", "EZ1001"},
      {"向量加法的尾块处理", "尾块处理", "矩阵乘法"},
      {"ks_call::n_dims", "n_dims", "block_idx"},
  };
  for (const Row& row : table) {
    EXPECT_GT(Cosine(row.text, row.near), Cosine(row.text, row.far) + 0.1) << row.text;
  }
}

TEST(HashedEmbedderTest, RepeatedTermsCountLessAndLess) {
  const double once = Cosine("alpha beta", "alpha");
  std::string many = "beta";
  for (int i = 0; i < 40; ++i) many += " alpha";
  EXPECT_GT(Cosine(many, "alpha"), once);
  EXPECT_LT(Cosine(many, "alpha"), 0.99);
}

// Another number here: raise the version in the embedder's id, so that stored vectors are made anew.
TEST(HashedEmbedderTest, VectorsOfVersionOneAreTheseOnEveryMachine) {
  HashedEmbedder embedder;
  EXPECT_EQ(embedder.id(), "hashed-1/384");
  std::string bytes;
  for (const char* const text :
       {"", "softmax of rows, error EZ9999", "ks_call::n_dims 向量加法 DataCopyPad DataCopyPad"}) {
    const auto vector = embedder.EmbedQuery(text);
    bytes.append(reinterpret_cast<const char*>(vector->data()), vector->size() * sizeof(float));
  }
  EXPECT_EQ(common::Sha256Hex(bytes), "f606bd91943ef9713652b9480e6eaa086c45c0b18328bfbc8f3c9a40ce0a4522");
}

TEST(HashedEmbedderTest, BatchesAndThreadsChangeNothing) {
  HashedEmbedder embedder;
  const auto both = embedder.Embed({"one text", "another"});
  std::vector<std::thread> threads;
  std::vector<absl::StatusOr<Vector>> alone(4, absl::UnknownError("not run"));
  for (size_t i = 0; i < alone.size(); ++i) {
    threads.emplace_back([&, i] { alone[i] = embedder.EmbedQuery(i % 2 == 0 ? "one text" : "another"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(*alone[i], (*both)[i % 2]);
}

class MapCache : public EmbeddingCache {
 public:
  std::optional<Vector> Get(const std::string& key) override {
    ++gets;
    const auto found = kept.find(key);
    return found == kept.end() ? std::nullopt : std::optional<Vector>(found->second);
  }
  void Put(const std::string& key, const Vector& vector) override { kept[key] = vector; }

  std::map<std::string, Vector> kept;
  int gets = 0;
};

TEST(RecentEmbeddingsTest, ForgetsWhatWasUsedLongestAgo) {
  RecentEmbeddings cache(2);
  cache.Put("a", {1});
  cache.Put("b", {2});
  EXPECT_EQ(cache.Get("a"), Vector{1});
  cache.Put("c", {3});
  EXPECT_EQ(cache.Get("b"), std::nullopt);
  EXPECT_EQ(cache.Get("a"), Vector{1});
  EXPECT_EQ(cache.Get("c"), Vector{3});
}

TEST(RecentEmbeddingsTest, AStoreKeepsWhatMemoryForgets) {
  MapCache store;
  RecentEmbeddings cache(1, &store);
  cache.Put("a", {1});
  cache.Put("b", {2});
  EXPECT_EQ(cache.Get("a"), Vector{1});
  EXPECT_EQ(store.gets, 1);
  EXPECT_EQ(cache.Get("a"), Vector{1});
  EXPECT_EQ(store.gets, 1);
  EXPECT_EQ(cache.Get("z"), std::nullopt);
}

TEST(RecentEmbeddingsTest, WithoutPlacesTheStoreAnswersAlone) {
  MapCache store;
  RecentEmbeddings cache(0, &store);
  cache.Put("a", {1});
  EXPECT_EQ(cache.Get("a"), Vector{1});
}

TEST(EmbeddingKeyTest, NoOtherIdOrTextHasTheSame) {
  EXPECT_EQ(EmbeddingKey("a", "b").size(), 64);
  EXPECT_NE(EmbeddingKey("a", "bc"), EmbeddingKey("ab", "c"));
  EXPECT_NE(EmbeddingKey("a", "b"), EmbeddingKey("b", "a"));
}

TEST(MakeEmbedderTest, MakesTheKindThatIsNamed) {
  config::v1::Embedder config;
  EXPECT_EQ((*MakeEmbedder(config))->id(), "hashed-1/384");
  config.set_kind("hashed");
  EXPECT_EQ((*MakeEmbedder(config))->dimensions(), 384);
  config.set_kind("none");
  EXPECT_EQ(*MakeEmbedder(config), nullptr);
  config.set_kind("http");
  config.set_url("http://127.0.0.1:1/v1/");
  config.set_model("bge");
  config.set_dimensions(512);
  EXPECT_EQ((*MakeEmbedder(config))->id(), "http/bge/512");
}

TEST(MakeEmbedderTest, NamesTheFieldAtFault) {
  const std::map<std::string, std::function<void(config::v1::Embedder&)>> table = {
      {"embedder.kind", [](config::v1::Embedder& c) { c.set_kind("magic"); }},
      {"embedder.url", [](config::v1::Embedder& c) { c.set_url("ftp://x"); }},
      {"embedder.model", [](config::v1::Embedder& c) { c.clear_model(); }},
      {"embedder.dimensions", [](config::v1::Embedder& c) { c.set_dimensions(0); }},
      {"embedder.batch", [](config::v1::Embedder& c) { c.set_batch(-1); }},
      {"embedder.timeout_s", [](config::v1::Embedder& c) { c.set_timeout_s(-2); }},
  };
  for (const auto& [field, spoil] : table) {
    config::v1::Embedder config;
    config.set_kind("http");
    config.set_url("http://x");
    config.set_model("m");
    config.set_dimensions(4);
    spoil(config);
    EXPECT_EQ(common::FieldOf(MakeEmbedder(config).status()), field);
  }
}

}  // namespace
}  // namespace kernelsmith::memory
