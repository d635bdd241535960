#include "memory/context/tokens/sentencepiece_counter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "common/status.h"
#include "memory/context/tokens/make_token_counter.h"

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;

const std::string& Program() {
  static const std::string program = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-sentencepiece";
  return program;
}

class SentencePieceCounterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "sentencepiece.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream corpus(folder_ / "corpus");
    for (int i = 0; i < 50; ++i) {
      corpus << "int ks_kernel(const ks_call* call) { return 0; }\nDataCopyPad moves the tail of a tile.\n"
                "向量加法算子在昇腾处理器上的优化\n";
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Path of a fresh model.
  std::string Train(const std::string& type) {
    std::string arguments[] = {KERNELSMITH_TRAINER, (folder_ / "corpus").string(), (folder_ / type).string(), type};
    char* const argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), arguments[3].data(), nullptr};
    char* const environment[] = {nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);  // it is talkative
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, KERNELSMITH_TRAINER, &actions, nullptr, argv, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0) << "the trainer failed";
    return (folder_ / (type + ".model")).string();
  }

  absl::StatusOr<std::unique_ptr<SentencePieceCounter>> Create(const std::string& model) {
    return SentencePieceCounter::Create({.model_file = model, .program = Program()}, clock_);
  }

  std::filesystem::path folder_;
  common::ManualClock clock_{absl::UnixEpoch()};
};

TEST_F(SentencePieceCounterTest, CountsAsTheModelDoes) {
  const auto counter = Create(Train("char"));
  ASSERT_TRUE(counter.ok()) << counter.status();
  EXPECT_EQ((*counter)->name(), "sentencepiece (char.model)");
  // A model of characters: one token each, and the blank that SentencePiece puts in front.
  EXPECT_EQ((*counter)->Count("kernel"), 7);
  EXPECT_EQ((*counter)->Count("向量加法"), 5);
  EXPECT_EQ((*counter)->Count(""), 0);
  EXPECT_FALSE((*counter)->Measure("call").stood_in);
}

TEST_F(SentencePieceCounterTest, KnowsPiecesOfSeveralCharacters) {
  for (const char* type : {"bpe", "unigram"}) {
    const auto counter = Create(Train(type));
    ASSERT_TRUE(counter.ok()) << counter.status();
    const std::string text = "int ks_kernel(const ks_call* call) { return 0; }";
    EXPECT_GT((*counter)->Count(text), 3) << type;
    EXPECT_LT((*counter)->Count(text), static_cast<int64_t>(text.size())) << type;
  }
}

TEST_F(SentencePieceCounterTest, TakesLongTextsAndAnyBytes) {
  const auto counter = Create(Train("char"));
  ASSERT_TRUE(counter.ok()) << counter.status();
  EXPECT_EQ((*counter)->Count(std::string(300'000, 'a')), 300'001) << "more than a socket holds at once";
  EXPECT_GT((*counter)->Count("\xff\xfe\x80 call"), 0);
  EXPECT_GT((*counter)->Count(std::string("a\0b", 3)), 0);
}

TEST_F(SentencePieceCounterTest, SaysWhatIsWrongWithTheModelFile) {
  EXPECT_THAT(std::string(Create((folder_ / "none.model").string()).status().message()), HasSubstr("none.model"));
  const std::string model = Train("char");
  std::filesystem::resize_file(model, std::filesystem::file_size(model) / 2);
  std::ofstream(folder_ / "prose.model") << "this is no model";
  std::ofstream(folder_ / "empty.model").flush();
  for (const std::string& file :
       {model, (folder_ / "prose.model").string(), (folder_ / "empty.model").string(), folder_.string()}) {
    const absl::Status status = Create(file).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << file;
    EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be loaded")) << file;
  }
}

TEST_F(SentencePieceCounterTest, NamesTheMissingProgram) {
  const std::string model = Train("char");
  const auto counter =
      SentencePieceCounter::Create({.model_file = model, .program = (folder_ / "absent").string()}, clock_);
  EXPECT_THAT(std::string(counter.status().message()), HasSubstr("absent' cannot be started"));
  // A program that says nothing we understand.
  const auto other = SentencePieceCounter::Create({.model_file = model, .program = "/bin/echo"}, clock_);
  EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SentencePieceCounterTest, StandsInWhileTheProcessIsDownAndComesBack) {
  const auto counter = Create(Train("char"));
  ASSERT_TRUE(counter.ok()) << counter.status();
  EXPECT_EQ((*counter)->Count("kernel"), 7);
  ASSERT_EQ(kill((*counter)->pid(), SIGKILL), 0);
  const TokenCount while_down = (*counter)->Measure("int call");
  EXPECT_TRUE(while_down.stood_in);
  EXPECT_EQ(while_down.tokens, ConservativeTokenCounter().Count("int call"));
  EXPECT_EQ((*counter)->pid(), 0);
  EXPECT_FALSE((*counter)->Measure("kernel").stood_in) << "known already";
  EXPECT_TRUE((*counter)->Measure("int call").stood_in) << "not asked again at once";
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ((*counter)->Measure("int call").tokens, 9);
  EXPECT_FALSE((*counter)->Measure("int call").stood_in);
}

TEST_F(SentencePieceCounterTest, ServesManyThreads) {
  const auto counter = Create(Train("char"));
  ASSERT_TRUE(counter.ok()) << counter.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counter, t] {
      for (int i = 1; i < 60; ++i) EXPECT_EQ((*counter)->Count(std::string(i * (t + 1), 'a')), i * (t + 1) + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SentencePieceCounterTest, IsMadeFromTheConfig) {
  config::v1::TokenCounting config;
  config.set_kind("sentencepiece");
  EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, clock_, Program()).status()), "token_counting.model_file");
  config.set_model_file((folder_ / "none.model").string());
  EXPECT_EQ(common::FieldOf(MakeTokenCounter(config, clock_, Program()).status()), "token_counting.model_file");
  config.set_model_file(Train("char"));
  const auto counter = MakeTokenCounter(config, clock_, Program());
  ASSERT_TRUE(counter.ok()) << counter.status();
  EXPECT_EQ((*counter)->Count("kernel"), 7);
}

}  // namespace
}  // namespace kernelsmith::memory
