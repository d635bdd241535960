#include "server/proposers/chat/account.h"

#include <map>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/model/clip_utf8.h"
#include "server/model/json_fields.h"

namespace kernelsmith::server {
namespace {

using nlohmann::json;

constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxTitleBytes = 200;
constexpr size_t kMaxProseBytes = 4000;
constexpr size_t kMaxParameters = 32;

std::string Clipped(const std::string& text, size_t bytes) {
  return std::string(ClipUtf8(absl::StripAsciiWhitespace(text), bytes));
}

// A string member; adds an error if it has another type, or is empty though `required`.
std::string Text(const json& object, const char* name, const char* path, size_t bytes, bool required,
                 std::vector<std::string>& errors) {
  const json& value = Member(object, name);
  if (value.is_null() && !required) return "";
  const std::string text = value.is_string() ? Clipped(value.get<std::string>(), bytes) : "";
  if (!value.is_null() && !value.is_string()) {
    errors.push_back(absl::StrCat(path, " must be a string"));
  } else if (text.empty() && required) {
    errors.push_back(absl::StrCat(path, " is missing or empty"));
  }
  return text;
}

// "Vector exp (fast)" becomes "vector-exp-fast".
std::string StableName(const std::string& text) {
  std::string name;
  for (const char c : absl::AsciiStrToLower(text)) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

v1::Layer LayerOf(const std::string& text, std::vector<std::string>& errors) {
  static const auto* const layers = new std::map<std::string, v1::Layer>{{"", v1::LAYER_NONE},
                                                                         {"none", v1::LAYER_NONE},
                                                                         {"tiling", v1::TILING},
                                                                         {"core_partition", v1::CORE_PARTITION},
                                                                         {"pipeline", v1::PIPELINE},
                                                                         {"instruction", v1::INSTRUCTION},
                                                                         {"synchronisation", v1::SYNCHRONISATION},
                                                                         {"synchronization", v1::SYNCHRONISATION}};
  const auto found = layers->find(absl::AsciiStrToLower(text));
  if (found != layers->end()) return found->second;
  errors.push_back(absl::StrCat("thought.layer '", text,
                                "' is none of none, core_partition, tiling, pipeline, instruction, synchronisation"));
  return v1::LAYER_NONE;
}

v1::Thought ReadThought(const json& value, std::vector<std::string>& errors) {
  v1::Thought thought;
  if (!value.is_object()) {
    errors.push_back("thought must be an object with id and title");
    return thought;
  }
  const std::string id = Text(value, "id", "thought.id", kMaxNameBytes, true, errors);
  thought.set_id(StableName(id));
  if (!id.empty() && thought.id().empty()) errors.push_back("thought.id holds no letter or digit of ASCII");
  thought.set_title(Text(value, "title", "thought.title", kMaxTitleBytes, true, errors));
  thought.set_reason(Text(value, "reason", "thought.reason", kMaxProseBytes, false, errors));
  thought.set_layer(LayerOf(Text(value, "layer", "thought.layer", kMaxNameBytes, false, errors), errors));
  thought.set_bottleneck(Text(value, "bottleneck", "thought.bottleneck", kMaxNameBytes, false, errors));
  thought.set_applies_when(Text(value, "applies_when", "thought.applies_when", kMaxProseBytes, false, errors));
  if (const json& parameters = Member(value, "parameters"); parameters.is_object()) {
    for (const auto& [name, parameter] : parameters.items()) {
      if (thought.parameters().size() == kMaxParameters) break;
      (*thought.mutable_parameters())[Clipped(name, kMaxNameBytes)] =
          Clipped(parameter.is_string() ? parameter.get<std::string>() : JsonText(parameter), kMaxTitleBytes);
    }
  }
  return thought;
}

// One record; nothing if it is wrong.
std::optional<v1::AdoptionRecord> ReadRecord(const json& value, std::set<std::string>& open,
                                             const std::set<std::string>& known, std::vector<std::string>& errors) {
  const std::string id = StringMember(value, "item_id");
  const std::string shown = Clipped(id, kMaxNameBytes);
  if (id.empty()) {
    errors.push_back("an entry of adoption has no item_id");
    return std::nullopt;
  }
  if (!known.contains(id)) {
    errors.push_back(absl::StrCat("adoption names '", shown, "', which is none of the items"));
    return std::nullopt;
  }
  if (open.erase(id) == 0) {
    errors.push_back(absl::StrCat("adoption has more than one entry for ", shown));
    return std::nullopt;
  }
  v1::AdoptionRecord record;
  record.set_item_id(id);
  const std::string state = StringMember(value, "state");
  if (state == "ADOPTED") record.set_state(v1::ADOPTED);
  if (state == "NOT_ADOPTED") record.set_state(v1::NOT_ADOPTED);
  record.set_reason(Clipped(StringMember(value, "reason"), kMaxProseBytes));
  if (record.state() == v1::ADOPTION_STATE_UNSPECIFIED) {
    errors.push_back(
        absl::StrCat("the state of ", shown, " is '", Clipped(state, kMaxNameBytes), "'; give ADOPTED or NOT_ADOPTED"));
    return std::nullopt;
  }
  if (record.reason().empty()) {
    errors.push_back(absl::StrCat("the entry for ", shown, " has no reason"));
    return std::nullopt;
  }
  return record;
}

void ReadAdoption(const json& value, const std::vector<std::string>& item_ids, Account& account,
                  std::vector<std::string>& errors) {
  const std::set<std::string> known(item_ids.begin(), item_ids.end());
  if (value.is_null() && known.empty()) return;
  if (!value.is_array()) {
    errors.push_back("adoption must be an array with one entry for each item");
    return;
  }
  std::set<std::string> open = known;
  for (const json& entry : value) {
    if (auto record = ReadRecord(entry, open, known, errors)) account.adoption.push_back(*std::move(record));
  }
  for (const std::string& id : open) errors.push_back(absl::StrCat("adoption has no entry for ", id));
}

}  // namespace

Account ReadAccount(absl::string_view text, const std::vector<std::string>& item_ids,
                    std::vector<std::string>& errors) {
  Account account;
  const auto value = ParseJson(text, "the json block");
  if (!value.ok()) {
    errors.emplace_back(value.status().message());
    return account;
  }
  if (!value->is_object()) {
    errors.push_back("the json block must hold an object");
    return account;
  }
  ReadAdoption(Member(*value, "adoption"), item_ids, account, errors);
  account.thought = ReadThought(Member(*value, "thought"), errors);
  account.hypothesis = Text(*value, "hypothesis", "hypothesis", kMaxProseBytes, true, errors);
  account.rationale = Text(*value, "rationale", "rationale", kMaxProseBytes, false, errors);
  return account;
}

}  // namespace kernelsmith::server
