#include "common/policies/presets.h"

#include <google/protobuf/text_format.h>

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/policies/embedded_policies.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

using Presets = std::map<std::string, v1::Policy>;

// Parsed once. A file that does not parse is a broken build; the tests parse every one.
const absl::StatusOr<Presets>& ParsedPresets() {
  static const auto* const presets = [] {
    auto* const parsed = new absl::StatusOr<Presets>(Presets());
    for (const EmbeddedPolicy& embedded : EmbeddedPolicies()) {
      v1::Policy& policy = (**parsed)[embedded.name];
      if (!google::protobuf::TextFormat::ParseFromString(embedded.text, &policy)) {
        *parsed = absl::InternalError(absl::StrCat("the embedded policy '", embedded.name, "' cannot be parsed"));
        break;
      }
    }
    return parsed;
  }();
  return *presets;
}

}  // namespace

const std::vector<std::string>& PolicyPresetNames() {
  static const auto* const names = [] {
    auto* const all = new std::vector<std::string>();
    for (const EmbeddedPolicy& embedded : EmbeddedPolicies()) all->emplace_back(embedded.name);
    return all;
  }();
  return *names;
}

absl::StatusOr<v1::Policy> PolicyPreset(absl::string_view name, absl::string_view field) {
  const absl::StatusOr<Presets>& presets = ParsedPresets();
  if (!presets.ok()) return presets.status();
  const auto found = presets->find(std::string(name));
  if (found != presets->end()) return found->second;
  return InvalidField(absl::StrCat(field, ".preset"), absl::StrCat("'", name, "' is not known; choose one of ",
                                                                   absl::StrJoin(PolicyPresetNames(), ", ")));
}

absl::StatusOr<v1::Policy> MergedPolicy(const v1::Policy& request, absl::string_view field) {
  const std::string& name = request.preset().empty() ? PolicyPresetNames().front() : request.preset();
  ASSIGN_OR_RETURN(v1::Policy merged, PolicyPreset(name, field));
  merged.MergeFrom(request);
  return merged;
}

}  // namespace kernelsmith::common
