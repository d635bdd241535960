// The words of a corpus: operators, ideas, identifiers, compiler messages and prose in two languages. All draws follow
// Zipf's law, as names in real kernels and logs do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "tests/bench/memory/corpus/random.h"

namespace kernelsmith::memory::bench {

enum class Language { kEnglish, kChinese };

struct OperatorName {
  std::string name;    // "layer_norm_grad_fused"
  std::string family;  // "normalisation"
  std::string level;   // "L1" to "L3"
};

// An idea with its texts in both languages.
struct Idea {
  std::string id;
  std::string title[2];
  std::string reason[2];
  v1::Layer layer = v1::LAYER_NONE;
  std::string bottleneck;
};

struct Message {
  std::string code;  // "EZ9999", "error: no-matching-function"
  std::string text;  // with "%" where an identifier goes
};

class Vocabulary {
 public:
  // A function of the seed alone.
  explicit Vocabulary(uint64_t seed);

  const OperatorName& DrawOperator(Random& random) const { return operators_[operator_law_.Draw(random)]; }
  const Idea& DrawIdea(Random& random) const { return ideas_[idea_law_.Draw(random)]; }
  const std::string& DrawIdentifier(Random& random) const { return identifiers_[identifier_law_.Draw(random)]; }
  const Message& DrawMessage(Random& random) const { return messages_[message_law_.Draw(random)]; }
  // An Ascend C or C++ library name, "DataCopyPad".
  const std::string& DrawApi(Random& random) const;
  // A sentence about `subject`.
  std::string Sentence(Language language, const std::string& subject, Random& random) const;

 private:
  std::vector<OperatorName> operators_;
  std::vector<Idea> ideas_;
  std::vector<std::string> identifiers_;
  std::vector<Message> messages_;
  Zipf operator_law_;
  Zipf idea_law_;
  Zipf identifier_law_;
  Zipf message_law_;
};

}  // namespace kernelsmith::memory::bench
