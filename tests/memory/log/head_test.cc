#include "memory/log/head.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_split.h"
#include "common/hash.h"
#include "tests/memory/random_message.h"

namespace kernelsmith::memory {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// What StripFact promises, by reflection: clears the field at the end of `path`.
void ClearPath(Message* message, const std::vector<std::string>& path, size_t depth = 0) {
  const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(path[depth]);
  ASSERT_NE(field, nullptr) << path[depth];
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  if (depth + 1 == path.size()) {
    reflection.ClearField(message, field);
  } else if (field->is_repeated()) {
    for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
      ClearPath(reflection.MutableRepeatedMessage(message, field, i), path, depth + 1);
    }
  } else if (reflection.HasField(*message, field)) {
    ClearPath(reflection.MutableMessage(message, field), path, depth + 1);
  }
}

TEST(StripFact, LeavesOutTheDroppedFieldsAndNothingElse) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    Fact fact;
    testing::FillAtRandom(random, &fact);
    const std::string bytes = fact.SerializeAsString();
    ASSERT_TRUE(fact.ParseFromString(bytes));  // map keys that repeat are gone
    std::string head_bytes;
    ASSERT_TRUE(StripFact(bytes, &head_bytes));
    Fact head;
    ASSERT_TRUE(head.ParseFromString(head_bytes));
    for (const std::string& path : DroppedFields()) ClearPath(&fact, absl::StrSplit(path, '.'));
    EXPECT_EQ(head.DebugString(), fact.DebugString());
  }
}

TEST(StripFact, RefusesWhatIsNoMessage) {
  for (const std::string& bytes : {std::string("\xff"),
                                   std::string("\x0a\x05"
                                               "ab"),
                                   std::string("\x0b"), std::string("\x3a\x02\x0a\x7f")}) {
    std::string head;
    EXPECT_FALSE(StripFact(bytes, &head));
  }
}

TEST(NotesOf, SayWhatTheHeadsLeaveOut) {
  Fact fact;
  fact.mutable_attempt()->mutable_case_()->set_code_after("int a;");
  EXPECT_EQ(NotesOf(fact).code_after_sha256(), common::Sha256Hex("int a;"));
  EXPECT_FALSE(NotesOf(fact).has_journal());
  fact.mutable_attempt()->mutable_journal()->set_measurements("2 us");
  EXPECT_TRUE(NotesOf(fact).has_journal());
  fact.mutable_item()->mutable_content()->set_text("a rule");
  EXPECT_EQ(NotesOf(fact).text_sha256(), common::Sha256Hex("a rule"));
  EXPECT_EQ(NotesOf(fact).text_bytes(), 6);
  EXPECT_TRUE(NotesOf(fact).code_after_sha256().empty());
}

TEST(NotesOf, AreTheStoredOnesOnceThereAreSome) {
  Fact head;
  head.mutable_attempt();
  head.mutable_notes()->set_code_after_sha256("stored");
  EXPECT_EQ(NotesOf(head).code_after_sha256(), "stored");
}

}  // namespace
}  // namespace kernelsmith::memory
