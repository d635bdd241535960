// Messages with every kind of field filled at random, for property tests.
#pragma once

#include <google/protobuf/message.h>

#include <cmath>
#include <random>
#include <string>

namespace kernelsmith::memory::testing {

inline std::string RandomText(std::mt19937_64& random) {
  static constexpr const char* kPieces[] = {"tile", " ", "双缓冲", "\n",   "\"", "\\",
                                            "0x1f", "é", "\t",     "</a>", "=",  ""};
  std::string text;
  for (auto i = random() % 6; i > 0; --i) text += kPieces[random() % 12];
  return text;
}

inline void FillAtRandom(std::mt19937_64& random, google::protobuf::Message* message, int depth = 0);

inline void SetAtRandom(std::mt19937_64& random, google::protobuf::Message* message,
                        const google::protobuf::FieldDescriptor* field, int depth) {
  using Type = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const bool many = field->is_repeated();
  const auto number = [&] { return random() >> (random() % 64); };
  switch (field->cpp_type()) {
#define KS_SET(type, Name, value)                                                                     \
  case Type::type:                                                                                    \
    many ? reflection.Add##Name(message, field, value) : reflection.Set##Name(message, field, value); \
    break
    KS_SET(CPPTYPE_INT32, Int32, static_cast<int32_t>(number()));
    KS_SET(CPPTYPE_INT64, Int64, static_cast<int64_t>(number()));
    KS_SET(CPPTYPE_UINT32, UInt32, static_cast<uint32_t>(number()));
    KS_SET(CPPTYPE_UINT64, UInt64, number());
    KS_SET(CPPTYPE_DOUBLE, Double, std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 100));
    KS_SET(CPPTYPE_FLOAT, Float, std::ldexp(static_cast<float>(random() % 4096), static_cast<int>(random() % 20) - 10));
    KS_SET(CPPTYPE_BOOL, Bool, random() % 2 == 0);
    KS_SET(CPPTYPE_STRING, String, RandomText(random));
    KS_SET(CPPTYPE_ENUM, Enum,
           field->enum_type()->value(static_cast<int>(random() % field->enum_type()->value_count())));
#undef KS_SET
    case Type::CPPTYPE_MESSAGE:
      FillAtRandom(random, many ? reflection.AddMessage(message, field) : reflection.MutableMessage(message, field),
                   depth + 1);
      break;
  }
}

// Map entries get keys that repeat rarely. One member of each oneof stays.
inline void FillAtRandom(std::mt19937_64& random, google::protobuf::Message* message, int depth) {
  const google::protobuf::Descriptor& type = *message->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    if (random() % 3 == 0 || depth > 6) continue;
    const auto* field = type.field(i);
    for (auto times = field->is_repeated() ? random() % 3 : 1; times > 0; --times) {
      SetAtRandom(random, message, field, depth);
    }
  }
}

}  // namespace kernelsmith::memory::testing
