#include "worker/reference/task_identity.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/hash.h"

namespace kernelsmith::worker {

std::string TaskHash(const v1::TaskSource& source) {
  common::Sha256 hash;
  auto add = [&hash](absl::string_view field) {
    hash.Update(absl::StrCat(field.size(), ":"));
    hash.Update(field);
  };
  add("kernelsmith task 1");
  if (source.has_kernelbench()) {
    add("kernelbench");
    add(source.kernelbench().source());
  } else {
    add("native");
    std::map<std::string, std::string> files;
    for (const v1::SourceFile& file : source.native().files()) files[file.name()] = file.content();
    for (const auto& [name, content] : files) {
      add(name);
      add(content);
    }
  }
  const std::map<std::string, std::string> overrides(source.overrides().begin(), source.overrides().end());
  for (const auto& [name, value] : overrides) {
    add(name);
    add(absl::StripAsciiWhitespace(value));
  }
  add(absl::StrCat("dtype ", source.dtype()));
  return hash.FinishHex();
}

std::string TaskNameOf(absl::string_view file_name) {
  if (const size_t slash = file_name.rfind('/'); slash != absl::string_view::npos) file_name.remove_prefix(slash + 1);
  file_name = absl::StripSuffix(file_name, ".py");
  const size_t digits = std::min(file_name.find_first_not_of("0123456789"), file_name.size());
  if (digits > 0 && digits < file_name.size() && file_name[digits] == '_') file_name.remove_prefix(digits + 1);
  std::string name;
  for (const char c : file_name) {
    const char lower = absl::ascii_isalnum(static_cast<unsigned char>(c)) ? absl::ascii_tolower(c) : '_';
    if (lower == '_' && (name.empty() || name.back() == '_')) continue;
    name.push_back(lower);
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace kernelsmith::worker
