// What a candidate of a card kind consists of, as far as a reply can be checked before it is compiled. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::server {

// A file that every candidate has.
struct FormFile {
  std::string name;
  std::string language;  // of its fenced block
  std::string entry;     // what its text must mention: the function it defines, or the mark of a kernel
  std::string skeleton;  // how it begins, for the prompt
};

struct CandidateForm {
  v1::Candidate::Kind kind = v1::Candidate::KIND_UNSPECIFIED;
  std::string what;                     // is written: "compute kernels in C++"
  std::vector<FormFile> files;          // at least one. Of a form of one file, a code block without a name is it
  std::vector<std::string> extensions;  // of further files; empty: there are none
  std::string header;                   // declarations that the candidate includes, shown in the prompt
  std::string header_name;              // as it is included

  // Null if the form has no file of this name.
  const FormFile* Find(absl::string_view name) const;
};

// FAILED_PRECONDITION for a card kind that no candidate form is known for.
absl::StatusOr<CandidateForm> CandidateFormOf(absl::string_view card_kind);

}  // namespace kernelsmith::server
