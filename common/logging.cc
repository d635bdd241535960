#include "common/logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

struct LogSettings {
  std::string program;
  bool json = false;
};

LogSettings& Settings() {
  static auto* const settings = new LogSettings;
  return *settings;
}

bool NeedsQuotes(absl::string_view value) {
  return value.empty() || value.find_first_of(" \"=\n\t") != absl::string_view::npos;
}

void Log(spdlog::level::level_enum level, absl::string_view event, std::initializer_list<LogField> fields) {
  if (!spdlog::should_log(level)) return;
  if (Settings().json) {
    const auto name = spdlog::level::to_string_view(level);
    spdlog::log(level, "{}",
                FormatLogJson(Settings().program, absl::string_view(name.data(), name.size()), event,
                              absl::ToUnixMicros(absl::Now()), fields));
  } else {
    spdlog::log(level, "{}", FormatLogText(event, fields));
  }
}

}  // namespace

absl::Status SetUpLogging(absl::string_view program, const config::v1::Observability& options) {
  const std::string level = options.log_level().empty() ? "info" : options.log_level();
  if (level != "debug" && level != "info" && level != "warning" && level != "error") {
    return InvalidField("observability.log_level",
                        absl::StrCat("is '", level, "'; give debug, info, warning or error"));
  }
  if (!options.log_format().empty() && options.log_format() != "text" && options.log_format() != "json") {
    return InvalidField("observability.log_format", absl::StrCat("is '", options.log_format(), "'; give text or json"));
  }
  Settings() = {std::string(program), options.log_format() == "json"};
  try {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (options.log_file().empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.log_file());
    }
    auto logger = std::make_shared<spdlog::logger>(Settings().program, sink);
    logger->set_pattern(Settings().json ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %L %n %v");
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(logger);
  } catch (const spdlog::spdlog_ex& error) {
    return InvalidField("observability.log_file",
                        absl::StrCat("'", options.log_file(), "' cannot be opened: ", error.what()));
  }
  return absl::OkStatus();
}

void LogDebug(absl::string_view event, std::initializer_list<LogField> fields) {
  Log(spdlog::level::debug, event, fields);
}
void LogInfo(absl::string_view event, std::initializer_list<LogField> fields) {
  Log(spdlog::level::info, event, fields);
}
void LogWarning(absl::string_view event, std::initializer_list<LogField> fields) {
  Log(spdlog::level::warn, event, fields);
}
void LogError(absl::string_view event, std::initializer_list<LogField> fields) {
  Log(spdlog::level::err, event, fields);
}

std::string FormatLogText(absl::string_view event, std::initializer_list<LogField> fields) {
  std::string line(event);
  for (const auto& [key, value] : fields) {
    if (NeedsQuotes(value)) {
      absl::StrAppend(&line, " ", key, "=\"", absl::CEscape(value), "\"");
    } else {
      absl::StrAppend(&line, " ", key, "=", value);
    }
  }
  return line;
}

std::string FormatLogJson(absl::string_view program, absl::string_view level, absl::string_view event,
                          int64_t unix_micros, std::initializer_list<LogField> fields) {
  nlohmann::ordered_json line = {{"time", absl::FormatTime(absl::FromUnixMicros(unix_micros), absl::UTCTimeZone())},
                                 {"level", level},
                                 {"program", program},
                                 {"event", event}};
  for (const auto& [key, value] : fields) line[std::string(key)] = value;
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kernelsmith::common
