// A mined difference in a model's words. What it was given is what the template says and both kernels; what it answers
// has to have the sections that the template has, or it does not count.
//
//   ModelWriter writer([&](const std::string& instructions, const std::string& material) {
//     return model->Write(instructions, material);
//   });
//   ASSIGN_OR_RETURN(v1::ItemContent insight, MineDifference(request, writer, &problem));
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/coldstart/mining.h"

namespace kernelsmith::common {

// A model's answer to `material` under `instructions`.
using AskModel =
    std::function<absl::StatusOr<std::string>(const std::string& instructions, const std::string& material)>;

class ModelWriter : public DifferenceWriter {
 public:
  explicit ModelWriter(AskModel ask) : ask_(std::move(ask)) {}

  // Errors of the model. UNAVAILABLE: its answer has not the form that was asked for.
  absl::StatusOr<Prose> Write(const MinedDifference& mined) const override;

 private:
  const AskModel ask_;
};

// What a model is asked to read. Pure.
std::string DifferenceMaterial(const MinedDifference& mined, const DifferenceWriter::Prose& said_by_template);

// The prose of an answer of the form "# title", then the sections. UNAVAILABLE: it lacks one, or is no UTF-8, or is
// longer than 16 KiB. Pure.
absl::StatusOr<DifferenceWriter::Prose> ProseOf(const std::string& answer);

}  // namespace kernelsmith::common
