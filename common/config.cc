#include "common/config.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

absl::Status ParseConfig(const std::string& text, const std::string& name, google::protobuf::Message& config) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (parser.ParseFromString(text, &config)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("configuration ", name, ", ", error.text()));
}

absl::Status LoadConfig(const std::string& path, google::protobuf::Message& config) {
  auto text = ReadFile(path);
  if (!text.ok()) return Annotate(text.status(), "configuration");
  return ParseConfig(*text, path, config);
}

}  // namespace kernelsmith::common
