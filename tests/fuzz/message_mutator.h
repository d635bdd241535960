// Changes a message at one random place, by reflection: a field set, cleared, changed, an element added, doubled, moved
// or removed. Structured inputs thus stay structured, and get deep.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace kernelsmith::fuzz {

using Chance = std::minstd_rand;
// Changes bytes; libFuzzer's own mutator, or MutateBytes.
using BytesMutator = std::function<void(std::string& bytes, Chance& chance)>;

void MutateMessage(google::protobuf::Message& message, Chance& chance, const BytesMutator& mutate_bytes);

// A simple one: flips, inserts, removes, repeats, and puts in words that parsers trip over.
void MutateBytes(std::string& bytes, Chance& chance);

// Every string field valid UTF-8, as protobuf demands: other bytes become U+FFFD.
void RepairStrings(google::protobuf::Message& message);

}  // namespace kernelsmith::fuzz
