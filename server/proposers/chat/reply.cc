#include "server/proposers/chat/reply.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/model/clip_utf8.h"
#include "server/proposers/chat/fences.h"

namespace kernelsmith::server {
namespace {

constexpr size_t kMaxNameBytes = 64;

bool IsCode(const FencedBlock& block) {
  return block.language == "cpp" || block.language == "c++" || block.language == "cc" || block.language == "cxx" ||
         block.language == "c" || block.language == "asc";
}

bool IsPlainName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

std::string MainFiles(const CandidateForm& form) {
  return absl::StrJoin(form.files, " and ",
                       [](std::string* out, const FormFile& file) { absl::StrAppend(out, file.name); });
}

// Why a file of this name cannot be part of a candidate; empty if it can.
std::string NameFault(const std::string& name, const CandidateForm& form) {
  const std::string shown(ClipUtf8(name, kMaxNameBytes));
  if (!IsPlainName(name)) {
    return absl::StrCat("the file name '", shown, "' is not a plain name of letters, digits, '_', '-' and '.'");
  }
  if (form.Find(name) != nullptr) return "";
  if (form.extensions.empty()) {
    return absl::StrCat("the file ", shown, " has no place; a candidate is ", MainFiles(form), " alone");
  }
  if (std::none_of(form.extensions.begin(), form.extensions.end(),
                   [&](const std::string& extension) { return absl::EndsWith(name, extension); })) {
    return absl::StrCat("the file ", shown, " has none of the extensions ", absl::StrJoin(form.extensions, ", "));
  }
  return "";
}

// The files by name.
std::map<std::string, std::string> CodeFiles(const std::vector<FencedBlock>& blocks, const CandidateForm& form,
                                             std::vector<std::string>& errors) {
  std::map<std::string, std::string> files;
  std::vector<const FencedBlock*> nameless;
  for (const FencedBlock& block : blocks) {
    if (block.language == "json") continue;
    if (block.name.empty()) {
      if (IsCode(block)) nameless.push_back(&block);
      continue;
    }
    if (std::string fault = NameFault(block.name, form); !fault.empty()) {
      errors.push_back(std::move(fault));
    } else if (!files.emplace(block.name, block.content).second) {
      errors.push_back(absl::StrCat("there are two blocks for ", block.name, "; send one"));
    }
  }
  const bool complete = std::all_of(form.files.begin(), form.files.end(),
                                    [&](const FormFile& file) { return files.contains(file.name); });
  if (complete || nameless.empty()) return files;
  const FormFile& first = form.files.front();
  if (nameless.size() > 1) {
    errors.push_back(absl::StrCat("there are ", nameless.size(),
                                  " cpp blocks without a file name; begin the one that counts with ```", first.language,
                                  " ", first.name));
    return files;
  }
  if (form.files.size() > 1) {
    errors.push_back(absl::StrCat("there is a cpp block without a file name; name it ", MainFiles(form)));
    return files;
  }
  files.emplace(first.name, nameless[0]->content);
  return files;
}

void CheckFiles(const std::map<std::string, std::string>& files, const CandidateForm& form,
                std::vector<std::string>& errors) {
  const bool said = !errors.empty();
  for (const FormFile& wanted : form.files) {
    const auto file = files.find(wanted.name);
    if (file == files.end()) {
      if (!said) errors.push_back(absl::StrCat("there is no code block for ", wanted.name));
    } else if (absl::StripAsciiWhitespace(file->second).empty()) {
      errors.push_back(absl::StrCat(wanted.name, " is empty"));
    } else if (!absl::StrContains(file->second, wanted.entry)) {
      errors.push_back(absl::StrCat(wanted.name, " does not define ", wanted.entry));
    }
  }
  size_t bytes = 0;
  for (const auto& file : files) bytes += file.second.size();
  if (bytes > kMaxCodeBytes) {
    errors.push_back(absl::StrCat("the code is ", bytes, " bytes long; at most ", kMaxCodeBytes, " are allowed"));
  }
}

}  // namespace

ParsedReply ParseReply(absl::string_view text, absl::string_view finish_reason,
                       const std::vector<std::string>& item_ids, const CandidateForm& form) {
  ParsedReply reply;
  if (finish_reason == "length") {
    reply.errors.push_back("the reply was cut at the limit of tokens; send a shorter one");
  }
  const Fences fences = FindFences(text);
  if (fences.unclosed_line > 0) {
    reply.errors.push_back(absl::StrCat("the code block that begins in line ", fences.unclosed_line, " has no end"));
  }
  std::vector<std::string> code_errors;
  const auto files = CodeFiles(fences.blocks, form, code_errors);
  CheckFiles(files, form, code_errors);
  reply.errors.insert(reply.errors.end(), code_errors.begin(), code_errors.end());

  std::vector<const FencedBlock*> json;
  for (const FencedBlock& block : fences.blocks) {
    if (block.language == "json") json.push_back(&block);
  }
  if (json.size() == 1) {
    reply.account = ReadAccount(json[0]->content, item_ids, reply.errors);
  } else {
    reply.errors.push_back(absl::StrCat("there are ", json.size(), " fenced json blocks; send exactly one"));
  }
  reply.candidate.set_kind(form.kind);
  for (const auto& [name, content] : files) {
    v1::SourceFile& file = *reply.candidate.add_files();
    file.set_name(name);
    file.set_content(content);
  }
  return reply;
}

}  // namespace kernelsmith::server
