#include "tests/fuzz/message_mutator.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace kernelsmith::fuzz {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kLongest = 1 << 16;  // bytes of one string

size_t Below(Chance& chance, size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(chance); }

// Every message in the tree, the root included.
void Collect(Message& message, std::vector<Message*>& out) {
  out.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (!field->is_repeated()) {
      Collect(*reflection.MutableMessage(&message, field), out);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      Collect(*reflection.MutableRepeatedMessage(&message, field, i), out);
    }
  }
}

double AnyDouble(double old, Chance& chance) {
  const double choices[] = {0,
                            1,
                            -1,
                            old * 2,
                            old / 3,
                            -old,
                            1e-300,
                            1e300,
                            std::nan(""),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  return choices[Below(chance, std::size(choices))];
}

int64_t AnyInteger(int64_t old, Chance& chance) {
  const int64_t choices[] = {0,
                             1,
                             -1,
                             2,
                             old ^ (int64_t{1} << Below(chance, 63)),
                             255,
                             65'536,
                             std::numeric_limits<int32_t>::max(),
                             std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min()};
  return choices[Below(chance, std::size(choices))];
}

int AnyEnum(const EnumDescriptor& type, Chance& chance) {
  const auto place = static_cast<int>(Below(chance, static_cast<size_t>(type.value_count()) + 1));
  return place == type.value_count() ? 999 : type.value(place)->number();
}

class FieldMutator {
 public:
  FieldMutator(Message& message, const FieldDescriptor& field, Chance& chance, const BytesMutator& mutate_bytes)
      : message_(message),
        field_(field),
        reflection_(*message.GetReflection()),
        chance_(chance),
        mutate_(mutate_bytes) {}

  void Change() {
    if (field_.is_map()) return reflection_.ClearField(&message_, &field_);
    return field_.is_repeated() ? ChangeList() : ChangeOne();
  }

 private:
  void ChangeOne() {
    if (Below(chance_, 8) == 0) return reflection_.ClearField(&message_, &field_);
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        reflection_.MutableMessage(&message_, &field_);
        return;
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string value = reflection_.GetString(message_, &field_);
        mutate_(value, chance_);
        return reflection_.SetString(&message_, &field_, std::move(value));
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection_.SetBool(&message_, &field_, !reflection_.GetBool(message_, &field_));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.SetEnumValue(&message_, &field_, AnyEnum(*field_.enum_type(), chance_));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection_.SetDouble(&message_, &field_, AnyDouble(reflection_.GetDouble(message_, &field_), chance_));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection_.SetFloat(&message_, &field_,
                                    static_cast<float>(AnyDouble(reflection_.GetFloat(message_, &field_), chance_)));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection_.SetInt32(&message_, &field_,
                                    static_cast<int32_t>(AnyInteger(reflection_.GetInt32(message_, &field_), chance_)));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection_.SetUInt32(
            &message_, &field_, static_cast<uint32_t>(AnyInteger(reflection_.GetUInt32(message_, &field_), chance_)));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection_.SetInt64(&message_, &field_, AnyInteger(reflection_.GetInt64(message_, &field_), chance_));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection_.SetUInt64(
            &message_, &field_,
            static_cast<uint64_t>(AnyInteger(static_cast<int64_t>(reflection_.GetUInt64(message_, &field_)), chance_)));
    }
  }

  void ChangeList() {
    const int size = reflection_.FieldSize(message_, &field_);
    const size_t action = Below(chance_, 4);
    if (size == 0 || (action == 0 && size < 64)) return AddElement(size);
    const auto place = static_cast<int>(Below(chance_, static_cast<size_t>(size)));
    if (action == 1) {
      reflection_.SwapElements(&message_, &field_, place, size - 1);
      return reflection_.RemoveLast(&message_, &field_);
    }
    if (action == 2) {
      return reflection_.SwapElements(&message_, &field_, place,
                                      static_cast<int>(Below(chance_, static_cast<size_t>(size))));
    }
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      std::string value = reflection_.GetRepeatedString(message_, &field_, place);
      mutate_(value, chance_);
      return reflection_.SetRepeatedString(&message_, &field_, place, std::move(value));
    }
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      reflection_.SetRepeatedEnumValue(&message_, &field_, place, AnyEnum(*field_.enum_type(), chance_));
    }
  }

  // A copy of an element, or an empty one.
  void AddElement(int size) {
    const int from = size == 0 ? -1 : static_cast<int>(Below(chance_, static_cast<size_t>(size)));
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message& added = *reflection_.AddMessage(&message_, &field_);
        if (from >= 0) added.CopyFrom(reflection_.GetRepeatedMessage(message_, &field_, from));
        return;
      }
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string value = from >= 0 ? reflection_.GetRepeatedString(message_, &field_, from) : "";
        mutate_(value, chance_);
        return reflection_.AddString(&message_, &field_, std::move(value));
      }
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.AddEnumValue(&message_, &field_, AnyEnum(*field_.enum_type(), chance_));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection_.AddInt32(&message_, &field_, static_cast<int32_t>(AnyInteger(0, chance_)));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection_.AddInt64(&message_, &field_, AnyInteger(0, chance_));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection_.AddDouble(&message_, &field_, AnyDouble(0, chance_));
      default:
        return;
    }
  }

  Message& message_;
  const FieldDescriptor& field_;
  const Reflection& reflection_;
  Chance& chance_;
  const BytesMutator& mutate_;
};

// "a\xffb" becomes "a", U+FFFD, "b".
std::string Repaired(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : 0;
    bool good = length > 0 && i + length <= text.size();
    for (size_t j = 1; good && j < length; ++j) good = (static_cast<unsigned char>(text[i + j]) & 0xc0) == 0x80;
    if (good && length == 3) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      good = !(lead == 0xe0 && next < 0xa0) && !(lead == 0xed && next >= 0xa0);  // overlong, surrogate
    }
    out += good ? text.substr(i, length) : "\xef\xbf\xbd";
    i += good ? length : 1;
  }
  return out;
}

}  // namespace

void MutateMessage(Message& message, Chance& chance, const BytesMutator& mutate_bytes) {
  std::vector<Message*> places;
  Collect(message, places);
  Message& place = *places[Below(chance, places.size())];
  const Descriptor& type = *place.GetDescriptor();
  if (type.field_count() == 0) return;
  const auto number = static_cast<int>(Below(chance, static_cast<size_t>(type.field_count())));
  FieldMutator(place, *type.field(number), chance, mutate_bytes).Change();
  RepairStrings(message);
}

void MutateBytes(std::string& bytes, Chance& chance) {
  static constexpr const char* kWords[] = {"#0",   "#1", "#7", "{",       "\"",          "向量",       "\n",
                                           " ",    "..", "/",  "%s",      "DataCopyPad", "9999999999", "\xef\xbf\xbd",
                                           "a::b", "_",  "-1", "\\u0000", "x.y->z",      "É"};
  const size_t place = bytes.empty() ? 0 : Below(chance, bytes.size());
  switch (Below(chance, 5)) {
    case 0:
      bytes.insert(place, kWords[Below(chance, std::size(kWords))]);
      break;
    case 1:
      bytes.erase(place, 1 + Below(chance, 8));
      break;
    case 2:
      bytes.insert(place, bytes.substr(place, 1 + Below(chance, 64)));
      break;
    case 3:
      if (!bytes.empty()) bytes[place] = static_cast<char>(bytes[place] ^ (1 << Below(chance, 8)));
      break;
    default:
      bytes = kWords[Below(chance, std::size(kWords))];
  }
  if (bytes.size() > kLongest) bytes.resize(kLongest);
}

void RepairStrings(Message& message) {
  std::vector<Message*> places;
  Collect(message, places);
  for (Message* place : places) {
    const Reflection& reflection = *place->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(*place, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->type() != FieldDescriptor::TYPE_STRING) continue;
      if (!field->is_repeated()) {
        reflection.SetString(place, field, Repaired(reflection.GetString(*place, field)));
        continue;
      }
      for (int i = 0; i < reflection.FieldSize(*place, field); ++i) {
        reflection.SetRepeatedString(place, field, i, Repaired(reflection.GetRepeatedString(*place, field, i)));
      }
    }
  }
}

}  // namespace kernelsmith::fuzz
