#include <memory>
#include <string>

#include "client/cli/memory/commands.h"
#include "client/cli/memory/enum_option.h"
#include "client/cli/memory/filter_options.h"
#include "client/cli/text/memory_text.h"
#include "common/config.h"
#include "common/model/text_model.h"
#include "common/status.h"
#include "kernelsmith/client/knowledge.h"
#include "kernelsmith/client/task.h"

namespace kernelsmith::client {
namespace {

struct MineCommandOptions {
  std::string generated;
  std::string expert;
  MineOptions mine;
  TargetOptions target;
  std::string clock;
  std::string dtype;
  std::string model_file;
  bool dry_run = false;
};

// `problem`: why the model that was asked for did not write.
absl::StatusOr<v1::RecordItemRequest> RequestFrom(const MineCommandOptions& options, absl::Status* problem) {
  MineOptions mine = options.mine;
  std::unique_ptr<common::TextModel> model;
  if (!options.model_file.empty()) {
    config::v1::ModelEndpoint endpoint;
    RETURN_IF_ERROR(common::LoadConfig(options.model_file, endpoint));
    ASSIGN_OR_RETURN(model, common::TextModel::Create(endpoint));
    mine.model = model->model();
    mine.ask_model = [&model](const std::string& instructions, const std::string& material) {
      return model->Write(instructions, material);
    };
  }
  mine.target = TargetFrom(options.target);
  if (!options.clock.empty()) {
    ASSIGN_OR_RETURN(const int clock, ParseEnum(*v1::ClockDomain_descriptor(), options.clock, "clock"));
    mine.clock = static_cast<v1::ClockDomain>(clock);
  }
  if (!options.dtype.empty()) {
    ASSIGN_OR_RETURN(mine.dtype, ParseDType(options.dtype));
  }
  ASSIGN_OR_RETURN(const v1::Candidate generated, LoadCandidate(options.generated));
  ASSIGN_OR_RETURN(const v1::Candidate expert, LoadCandidate(options.expert));
  return MineKernels(generated, expert, mine, problem);
}

int Mine(const MineCommandOptions& options, const Session& session) {
  absl::Status problem;
  const absl::StatusOr<v1::RecordItemRequest> insight = RequestFrom(options, &problem);
  if (!insight.ok()) return session.Fail(insight.status());
  if (!problem.ok()) session.err() << "the template wrote it, not the model: " << problem.message() << std::endl;
  if (options.dry_run) {
    if (session.json) {
      session.PrintJson(*insight);
    } else {
      session.out() << InsightText(insight->content()) << std::flush;
    }
    return kExitOk;
  }
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::RecordItemResponse> recorded = memory->RecordItem(*insight);
  if (!recorded.ok()) return session.Fail(recorded.status());
  if (session.json) {
    session.PrintJson(*recorded);
  } else {
    session.out() << InsightText(insight->content()) << "\n" << RecordedText(*recorded) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddMemoryMine(Command& memory, Session& session) {
  auto options = std::make_shared<MineCommandOptions>();
  Command command =
      memory.Add("mine", "store what an expert kernel does better than a generated one for the same task");
  command
      .Option("--generated", options->generated,
              "a correct generated kernel: *.cpp, or a folder with kernel.asc and plan.cpp")
      .Required();
  command.Option("--expert", options->expert, "a correct expert kernel of the same kind").Required();
  command.Option("--operator", options->mine.operator_name, "the operator that both compute").Required();
  command.Option("--family", options->mine.family, "its family, for example row_reduction");
  command.Option("--level", options->mine.level, "its benchmark level");
  command.Option("--generated-us", options->mine.generated_us, "measured latency of the generated kernel").Positive();
  command.Option("--expert-us", options->mine.expert_us, "measured latency of the expert kernel").Positive();
  command.Option("--clock", options->clock, "of both latencies: parent, device-event or simulated");
  command.Option("--dtype", options->dtype, "element type of the task, for example fp16");
  AddTargetOptions(command, options->target);
  command.Option("--source-item", options->mine.source_item_ids,
                 "memory's case of the generated kernel; may be repeated");
  command.Option("--held-out-operator", options->mine.held_out_operators,
                 "refuse if it is this operator: nothing is learned from held-out ones; may be repeated");
  command.Option("--model-file", options->model_file,
                 "a model that puts it into words: text format of kernelsmith.config.v1.ModelEndpoint");
  command.Flag("--dry-run", options->dry_run, "only show the insight");
  command.Footer(
      "The kernels are compared by structure: calls, loops, tiles, buffers, barriers, types, launches. A hardware "
      "reason is "
      "given where a known pattern matches, and none is invented.\n\nExample:\n  kernelsmith memory mine --generated "
      "out/mine "
      "--expert experts/softmax --operator softmax --family row_reduction\n    --generated-us 410 --expert-us 95 "
      "--clock "
      "simulated --architecture ascend-a2");
  command.Run([options, &session] { session.exit_code = Mine(*options, session); });
}

}  // namespace kernelsmith::client
