#include "client/cli/memory/filter_options.h"

#include "absl/strings/str_cat.h"
#include "client/cli/memory/enum_option.h"
#include "common/status.h"
#include "google/protobuf/repeated_field.h"
#include "kernelsmith/client/task.h"

namespace kernelsmith::client {
namespace {

absl::Status AddEnums(const google::protobuf::EnumDescriptor& type, const std::vector<std::string>& values,
                      absl::string_view option, google::protobuf::RepeatedField<int>& field) {
  for (const std::string& value : values) {
    ASSIGN_OR_RETURN(const int number, ParseEnum(type, value, option));
    field.Add(number);
  }
  return absl::OkStatus();
}

void AddTexts(const std::vector<std::string>& values, google::protobuf::RepeatedPtrField<std::string>& field) {
  field.Add(values.begin(), values.end());
}

std::string OneOf(const char* what, const google::protobuf::EnumDescriptor& type) {
  return absl::StrCat(what, ": ", EnumValues(type), "; may be repeated");
}

}  // namespace

void AddFilterOptions(Command& command, FilterOptions& options) {
  command.Option("--kind", options.kinds, OneOf("only items of this kind", *v1::ItemKind_descriptor()));
  command.Option("--operator", options.operators, "only experience of this operator; may be repeated");
  command.Option("--family", options.families,
                 "only this family: elementwise, row_reduction, matmul, other; may be repeated");
  command.Option("--level", options.levels, "only this benchmark level; may be repeated");
  command.Option("--label", options.labels, OneOf("only attempts with this effect", *v1::Label_descriptor()));
  command.Option("--stage", options.stages, OneOf("only this stage", *v1::Stage_descriptor()));
  command.Option("--purpose", options.purposes, OneOf("only this purpose", *v1::Purpose_descriptor()));
  command.Option("--layer", options.layers, OneOf("only changes of this layer", *v1::Layer_descriptor()));
  command.Option("--bottleneck", options.bottlenecks,
                 "only this bottleneck, for example memory-bound; may be repeated");
  command.Option("--thought", options.thoughts, "only this optimisation idea, by its id; may be repeated");
  command.Option("--proposer", options.proposers, "only by this kind of author: catalog, chat, user; may be repeated");
  command.Option("--model", options.models, "only by this model; may be repeated");
  command.Option("--producer", options.producers, "only recorded by this producer; may be repeated");
  command.Option("--job,--session", options.sessions, "only experience of this job; may be repeated");
  command.Option("--exclude-job", options.excluded_sessions, "nothing of this job; may be repeated");
  command.Option("--bundle", options.bundles,
                 "only API templates of this bundle, for example ascend_c; may be repeated");
  command.Option("--name", options.names, "only this exact API or document name; may be repeated");
  command.Option("--dtype", options.dtypes, "only this element type, for example fp16; may be repeated");
  command.Option("--architecture", options.architecture, "only learned on this architecture, for example ascend-a2");
  command.Flag("--correct-only", options.correct_only, "only correct kernels");
  command.Flag("--include-retired", options.include_retired, "retired and superseded items too");
}

absl::StatusOr<v1::Filter> FilterFrom(const FilterOptions& options) {
  v1::Filter filter;
  RETURN_IF_ERROR(AddEnums(*v1::ItemKind_descriptor(), options.kinds, "kind", *filter.mutable_kinds()));
  RETURN_IF_ERROR(AddEnums(*v1::Label_descriptor(), options.labels, "label", *filter.mutable_labels()));
  RETURN_IF_ERROR(AddEnums(*v1::Stage_descriptor(), options.stages, "stage", *filter.mutable_stages()));
  RETURN_IF_ERROR(AddEnums(*v1::Purpose_descriptor(), options.purposes, "purpose", *filter.mutable_purposes()));
  RETURN_IF_ERROR(AddEnums(*v1::Layer_descriptor(), options.layers, "layer", *filter.mutable_layers()));
  for (const std::string& name : options.dtypes) {
    ASSIGN_OR_RETURN(const v1::DType dtype, ParseDType(name));
    filter.add_dtypes(dtype);
  }
  AddTexts(options.operators, *filter.mutable_operators());
  AddTexts(options.families, *filter.mutable_families());
  AddTexts(options.levels, *filter.mutable_levels());
  AddTexts(options.bottlenecks, *filter.mutable_bottlenecks());
  AddTexts(options.thoughts, *filter.mutable_thoughts());
  AddTexts(options.proposers, *filter.mutable_proposer_kinds());
  AddTexts(options.models, *filter.mutable_models());
  AddTexts(options.producers, *filter.mutable_producers());
  AddTexts(options.sessions, *filter.mutable_sessions());
  AddTexts(options.excluded_sessions, *filter.mutable_excluded_sessions());
  AddTexts(options.bundles, *filter.mutable_bundles());
  AddTexts(options.names, *filter.mutable_names());
  filter.set_architecture(options.architecture);
  filter.set_correct_only(options.correct_only);
  filter.set_include_retired(options.include_retired);
  return filter;
}

void AddTargetOptions(Command& command, TargetOptions& options) {
  command.Option("--architecture", options.architecture, "of the target, for example ascend-a2 or cpu-x86_64");
  command.Option("--soc", options.soc, "of the target, for example Ascend910B3");
  command.Option("--toolchain", options.toolchain, "of the target, for example 'cann 8.5.0'");
}

v1::Target TargetFrom(const TargetOptions& options) {
  v1::Target target;
  target.set_architecture(options.architecture);
  target.set_soc(options.soc);
  target.set_toolchain(options.toolchain);
  return target;
}

}  // namespace kernelsmith::client
