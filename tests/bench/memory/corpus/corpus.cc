#include "tests/bench/memory/corpus/corpus.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tests/bench/memory/corpus/kernel_source.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr int64_t kFirstRecordUs = 1'700'000'000'000'000;
constexpr int64_t kBlock = kSessionsAtOnce * kSteps;
constexpr absl::string_view kIdPrefix = "attempt-";

// Streams of draws within a seed.
enum Stream : uint64_t { kSessionStream = 2, kOutcomeStream, kTextStream, kNameStream };

constexpr int kTiles[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr const char* kSocs[] = {"Ascend910B3", "Ascend910B4", "Ascend910_9382"};
constexpr const char* kModels[] = {"coder-large", "coder-small", "reasoner-v2", "qwen-kernel"};
constexpr v1::DType kTypes[] = {v1::FP16, v1::FP16, v1::FP32, v1::FP32, v1::BF16, v1::INT8};

const char* ElementName(v1::DType type, bool ascend) {
  switch (type) {
    case v1::FP16:
      return ascend ? "half" : "_Float16";
    case v1::BF16:
      return "bfloat16_t";
    case v1::INT8:
      return "int8_t";
    default:
      return "float";
  }
}

// "用例 3"
std::string Numbered(Language language, const char* english, const char* chinese, size_t number) {
  return absl::StrCat(language == Language::kEnglish ? english : chinese, " ", number);
}

}  // namespace

struct Corpus::Session {
  enum Shape { kChain, kStar, kTree };
  int64_t number = 0;
  Language language = Language::kEnglish;
  Shape shape = kChain;
  OperatorName operator_name;
  bool ascend = true;
  v1::DType type = v1::FP32;
  std::string shape_signature;
  std::string model;
  const char* soc = "";
  double first_us = 0;
};

struct Corpus::Outcome {
  v1::EvaluationStatus status = v1::PASSED;
  double latency_us = 0;
};

std::string Corpus::AttemptId(int64_t number) { return absl::StrCat(kIdPrefix, number); }

int64_t Corpus::NumberOf(const std::string& attempt_id) {
  int64_t number = -1;
  if (attempt_id.rfind(kIdPrefix.data(), 0) != 0) return -1;
  return absl::SimpleAtoi(absl::string_view(attempt_id).substr(kIdPrefix.size()), &number) ? number : -1;
}

int64_t Corpus::SessionOf(int64_t number) { return number / kBlock * kSessionsAtOnce + number % kSessionsAtOnce; }

Corpus::Session Corpus::SessionFor(int64_t number) const {
  Random random(seed_, kSessionStream, static_cast<uint64_t>(number));
  Session session;
  session.number = number;
  session.language = random.Chance(0.6) ? Language::kEnglish : Language::kChinese;
  const double shape = random.Unit();
  session.shape = shape < 0.4 ? Session::kChain : shape < 0.6 ? Session::kStar : Session::kTree;
  session.operator_name = vocabulary_.DrawOperator(random);
  session.ascend = random.Chance(0.7);
  session.type = random.Pick(kTypes);
  session.shape_signature = absl::StrCat(1 << random.Below(13), "x", (1 << random.Below(14)) - random.Below(2) * 3);
  session.model = random.Pick(kModels);
  session.soc = session.ascend ? random.Pick(kSocs) : "x86_64 server";
  session.first_us = 10 * std::exp(7 * random.Unit());
  return session;
}

Corpus::Outcome Corpus::OutcomeOf(const Session& session, int64_t step) const {
  Random random(seed_, kOutcomeStream, static_cast<uint64_t>(session.number * kSteps + step));
  Outcome outcome;
  constexpr v1::EvaluationStatus kFailures[] = {
      v1::COMPILE_ERROR,       v1::COMPILE_ERROR, v1::INCORRECT_NUMERICAL, v1::RUNTIME_ERROR,
      v1::INCORRECT_NUMERICAL, v1::TIMEOUT,       v1::INCORRECT_SHAPE,     v1::RACE};
  if (random.Chance(step == 0 ? 0.5 : 0.35)) {
    outcome.status = random.Pick(kFailures);
  } else {
    outcome.latency_us = session.first_us * std::exp(-0.06 * static_cast<double>(step) + 0.3 * (random.Unit() - 0.5));
  }
  return outcome;
}

int64_t Corpus::Predecessor(const Session& session, int64_t step) const {
  if (step == 0) return -1;
  switch (session.shape) {
    case Session::kChain:
      return step - 1;
    case Session::kStar:
      return 0;
    case Session::kTree:
      break;
  }
  Random random(seed_, kOutcomeStream, ~static_cast<uint64_t>(session.number * kSteps + step));
  return static_cast<int64_t>(random.Below(static_cast<size_t>(step)));
}

std::string Corpus::SourceOf(const Session& session, int64_t step) const {
  Random random(seed_, kNameStream, static_cast<uint64_t>(session.number * kSteps + step));
  return KernelSource(vocabulary_,
                      {.ascend = session.ascend,
                       .operator_name = session.operator_name.name,
                       .element_type = ElementName(session.type, session.ascend),
                       .tile = random.Pick(kTiles),
                       .buffers = static_cast<int>(1 + random.Below(4)),
                       .cores = static_cast<int>(1 << random.Below(6))},
                      Random(seed_, kNameStream, ~static_cast<uint64_t>(session.number)));
}

void Corpus::FillFailure(const Session& session, Random& random, v1::Case& out) const {
  std::string feedback;
  const size_t messages = 1 + random.Below(3);
  for (size_t i = 0; i < messages; ++i) {
    const Message& message = vocabulary_.DrawMessage(random);
    v1::Diagnostic& diagnostic = *out.add_diagnostics();
    diagnostic.set_file(session.ascend ? "kernel.asc" : "kernel.cpp");
    diagnostic.set_line(static_cast<int32_t>(1 + random.Below(120)));
    diagnostic.set_severity(v1::Diagnostic::ERROR);
    const std::string& name = random.Chance(0.5) ? vocabulary_.DrawApi(random) : vocabulary_.DrawIdentifier(random);
    diagnostic.set_text(absl::StrCat(message.code, ": ", absl::StrReplaceAll(message.text, {{"%", name}})));
    out.add_diagnostic_ids(message.code);
    if (i == 0) feedback = diagnostic.text();
  }
  out.set_feedback(absl::StrCat(v1::EvaluationStatus_Name(out.status()), ": ", feedback));
}

void Corpus::FillCase(const Session& session, int64_t step, Random& random, v1::Case& out) const {
  const auto language = static_cast<size_t>(session.language);
  const Outcome outcome = OutcomeOf(session, step);
  const int64_t before = Predecessor(session, step);
  bool solved = false;
  for (int64_t earlier = 0; earlier < step && !solved; ++earlier) {
    solved = OutcomeOf(session, earlier).status == v1::PASSED;
  }
  const Idea& idea = vocabulary_.DrawIdea(random);
  out.set_operator_name(session.operator_name.name);
  out.set_family(session.operator_name.family);
  out.set_level(session.operator_name.level);
  out.mutable_scene()->set_shape_signature(session.shape_signature);
  out.mutable_scene()->set_dtype(session.type);
  out.mutable_scene()->add_tags(session.ascend ? "ascend_c" : "cpu");
  out.set_purpose(step == 0 ? v1::FIRST_DRAFT : solved ? v1::SPEED : v1::CORRECTNESS_REPAIR);
  v1::Thought& thought = *out.mutable_thought();
  thought.set_id(idea.id);
  thought.set_title(idea.title[language]);
  thought.set_reason(idea.reason[language]);
  thought.set_layer(idea.layer);
  thought.set_bottleneck(idea.bottleneck);
  (*thought.mutable_parameters())["tile"] = absl::StrCat(random.Pick(kTiles));
  (*thought.mutable_parameters())["buffers"] = absl::StrCat(1 + random.Below(4));
  out.set_hypothesis(vocabulary_.Sentence(session.language, vocabulary_.DrawIdentifier(random), random));
  if (before >= 0) out.set_code_before(SourceOf(session, before));
  out.set_code_after(SourceOf(session, step));
  out.set_status(outcome.status);
  out.set_session(absl::StrCat("job-", session.number));
  out.set_step(static_cast<int32_t>(step + 1));
  out.set_stage(solved ? v1::REFINING : v1::DRAFTING);
  out.set_clock(session.ascend ? v1::DEVICE_EVENT : v1::PARENT);
  out.set_confidence(random.Chance(0.2) ? 1.0 : 0.8);
  if (outcome.status == v1::PASSED) {
    out.set_latency_us(outcome.latency_us);
    out.set_speedup(session.first_us / outcome.latency_us);
    out.set_hypothesis_confirmed(out.speedup() > 1);
    out.set_feedback(absl::StrFormat("all cases passed, %.3f us, speed-up %.3f", out.latency_us(), out.speedup()));
  } else {
    FillFailure(session, random, out);
  }
}

void Corpus::FillJournal(const Session& session, const v1::Case& source, Random& random, v1::Journal& out) const {
  const Language language = session.language;
  const auto sentence = [&] {
    const std::string& name = random.Chance(0.4) ? vocabulary_.DrawApi(random) : vocabulary_.DrawIdentifier(random);
    return vocabulary_.Sentence(language, absl::StrCat("`", name, "`"), random);
  };
  const char* gap = language == Language::kEnglish ? " " : "";
  out.set_strategy(absl::StrCat(source.thought().title(), ". ", source.thought().reason(), ". ", sentence()));
  out.set_change(absl::StrCat(sentence(), gap, sentence(), gap, sentence()));
  out.set_validation(absl::StrCat(Numbered(language, "cases", "用例", 3 + random.Below(6)), ": ",
                                  v1::EvaluationStatus_Name(source.status()), ". ", source.feedback()));
  out.set_measurements(source.latency_us() > 0
                           ? absl::StrFormat("%.3f us; tile %d", source.latency_us(), random.Pick(kTiles))
                           : absl::StrCat(language == Language::kEnglish ? "Not timed." : "未计时。"));
  out.set_interpretation(absl::StrCat(sentence(), gap, sentence()));
}

v1::RecordAttemptRequest Corpus::Attempt(int64_t number) const {
  const int64_t session_number = SessionOf(number);
  const int64_t step = number % kBlock / kSessionsAtOnce;
  const Session session = SessionFor(session_number);
  Random random(seed_, kTextStream, static_cast<uint64_t>(number));

  v1::RecordAttemptRequest request;
  request.set_producer(kProducer);
  request.set_attempt_id(AttemptId(number));
  if (const int64_t before = Predecessor(session, step); before >= 0) {
    request.set_prev_attempt_id(AttemptId(number - (step - before) * kSessionsAtOnce));
  }
  request.set_recorded_at_unix_us(kFirstRecordUs + number * 1'000'000);
  v1::Target& target = *request.mutable_target();
  target.set_architecture(session.ascend ? "ascend-a2" : "cpu-x86_64");
  target.set_soc(session.soc);
  target.set_toolchain(session.ascend ? "cann 8.5.0" : "g++ 12.2.0");
  request.mutable_author()->set_kind(session.number % 4 == 0 ? "catalog" : "chat");
  request.mutable_author()->set_model(session.model);
  FillCase(session, step, random, *request.mutable_case_());
  FillJournal(session, request.case_(), random, *request.mutable_journal());
  return request;
}

}  // namespace kernelsmith::memory::bench
