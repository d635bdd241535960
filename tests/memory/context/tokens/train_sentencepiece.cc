// train_sentencepiece <corpus> <model prefix> <char|bpe|unigram>: a tiny model for the tests. A program of its own,
// because libsentencepiece must not share a process with our protobuf.
#include <sentencepiece_trainer.h>

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string arguments = std::string("--input=") + argv[1] + " --model_prefix=" + argv[2] +
                                " --model_type=" + argv[3] +
                                " --vocab_size=120 --hard_vocab_limit=false --character_coverage=1.0 --num_threads=1"
                                " --remove_extra_whitespaces=false --minloglevel=3";
  const sentencepiece::util::Status status = sentencepiece::SentencePieceTrainer::Train(arguments);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
