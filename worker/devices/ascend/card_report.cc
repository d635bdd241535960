#include "worker/devices/ascend/card_report.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

using Json = nlohmann::json;

constexpr size_t kTextBytes = 1000;

Json Parsed(absl::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? Printable(found->get<std::string>(), kTextBytes) : "";
}

int64_t NumberAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<int64_t>() : 0;
}

bool IsTrue(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// An array of objects, or nothing.
std::vector<Json> ObjectsAt(const Json& object, const char* key) {
  std::vector<Json> objects;
  if (!object.is_object()) return objects;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return objects;
  for (const Json& entry : *found) {
    if (entry.is_object()) objects.push_back(entry);
  }
  return objects;
}

// Candidates do not know in which folder they were compiled.
std::string WithoutFolder(const std::string& text, absl::string_view folder) {
  if (folder.empty()) return text;
  return absl::StrReplaceAll(text, {{absl::StrCat("./", folder), ""}, {folder, ""}});
}

v1::Finding FindingOf(const Json& entry, absl::string_view prefix) {
  v1::Finding finding;
  finding.set_severity(TextAt(entry, "severity") == "error" ? v1::Finding::ERROR : v1::Finding::NOTE);
  finding.set_check(TextAt(entry, "check"));
  finding.set_operation(TextAt(entry, "operation"));
  finding.set_buffer(TextAt(entry, "buffer"));
  finding.set_offset(NumberAt(entry, "offset"));
  finding.set_bytes(NumberAt(entry, "bytes"));
  finding.set_core(TextAt(entry, "core"));
  finding.set_file(WithoutFolder(TextAt(entry, "file"), prefix));
  finding.set_line(static_cast<int>(NumberAt(entry, "line")));
  finding.set_text(WithoutFolder(TextAt(entry, "text"), prefix));
  finding.set_count(static_cast<int>(std::max<int64_t>(1, NumberAt(entry, "count"))));
  return finding;
}

v1::Finding Truncated(const Json& launch) {
  v1::Finding note;
  note.set_severity(v1::Finding::NOTE);
  note.set_check("truncated");
  note.set_operation(TextAt(launch, "kernel"));
  note.set_text("the record of the launch was cut off: checks and times cover its beginning only");
  note.set_count(1);
  return note;
}

}  // namespace

std::vector<v1::Finding> ParseCardReport(absl::string_view json, absl::string_view prefix) {
  std::vector<v1::Finding> findings;
  for (const Json& launch : ObjectsAt(Parsed(json), "launches")) {
    for (const Json& entry : ObjectsAt(launch, "findings")) findings.push_back(FindingOf(entry, prefix));
    if (IsTrue(launch, "truncated")) findings.push_back(Truncated(launch));
  }
  return findings;
}

std::vector<double> LaunchTimes(absl::string_view json) {
  std::vector<double> times;
  for (const Json& launch : ObjectsAt(Parsed(json), "launches")) {
    const auto us = launch.find("us");
    times.push_back(us != launch.end() && us->is_number() ? us->get<double>() : 0);
  }
  return times;
}

absl::StatusOr<CardFacts> ParseCardFacts(absl::string_view json) {
  const Json object = Parsed(json);
  CardFacts facts;
  if (object.is_object()) {
    facts.soc = TextAt(object, "soc");
    facts.devices = static_cast<int>(NumberAt(object, "devices"));
    facts.aic_cores = static_cast<int>(NumberAt(object, "aic_cores"));
    facts.aiv_cores = static_cast<int>(NumberAt(object, "aiv_cores"));
    facts.memory_bytes = NumberAt(object, "memory_bytes");
    facts.driver = TextAt(object, "driver");
    facts.label = TextAt(object, "label");
  }
  if (!facts.soc.empty()) return facts;
  return absl::UnavailableError(
      absl::StrCat("the card does not tell its SoC; its runner said ", Printable(json, kTextBytes)));
}

}  // namespace kernelsmith::worker
