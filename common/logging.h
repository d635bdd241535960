// Structured logs. A line has a time, a level, an event name and key=value fields; --log_format json prints objects.
//
//   LogInfo("lease.granted", {{"job", job_id}, {"epoch", absl::StrCat(epoch)}});
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

using LogField = std::pair<absl::string_view, std::string>;

// Configures the process's log once, before threads start. INVALID_ARGUMENT names a bad level or format.
absl::Status SetUpLogging(absl::string_view program, const config::v1::Observability& options);

void LogDebug(absl::string_view event, std::initializer_list<LogField> fields = {});
void LogInfo(absl::string_view event, std::initializer_list<LogField> fields = {});
void LogWarning(absl::string_view event, std::initializer_list<LogField> fields = {});
void LogError(absl::string_view event, std::initializer_list<LogField> fields = {});

// One line as it is printed, for tests: text `event key=value ...` with values quoted where needed, or a JSON object.
std::string FormatLogText(absl::string_view event, std::initializer_list<LogField> fields);
std::string FormatLogJson(absl::string_view program, absl::string_view level, absl::string_view event,
                          int64_t unix_micros, std::initializer_list<LogField> fields);

}  // namespace kernelsmith::common
