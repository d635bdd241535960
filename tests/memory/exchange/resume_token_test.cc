#include "memory/exchange/resume_token.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace kernelsmith::memory {
namespace {

const ResumePoint kPoint = {.next_row = 12, .digest = std::string(64, 'a'), .manifest_sha256 = std::string(64, 'b')};

TEST(ResumeToken, ReadsBackWhatItWasMadeOf) {
  const absl::StatusOr<ResumePoint> again = DecodeResumeToken(EncodeResumeToken(kPoint));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->next_row, kPoint.next_row);
  EXPECT_EQ(again->digest, kPoint.digest);
  EXPECT_EQ(again->manifest_sha256, kPoint.manifest_sha256);
}

TEST(ResumeToken, HasTheDocumentedForm) {
  std::string text;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(EncodeResumeToken(kPoint), &text));
  const std::string body = absl::StrCat("1:12:", kPoint.digest, ":", kPoint.manifest_sha256);
  EXPECT_EQ(text, absl::StrCat(body, ":", common::Sha256Hex(body).substr(0, 16)));
}

TEST(ResumeToken, RefusesWhatIsNone) {
  std::string changed = EncodeResumeToken(kPoint);
  changed[20] = changed[20] == 'A' ? 'B' : 'A';
  ResumePoint short_digest = kPoint;
  short_digest.digest = "a";
  ResumePoint before_the_manifest = kPoint;
  before_the_manifest.next_row = 0;
  for (const std::string& token :
       {std::string("?"), std::string("x"), absl::WebSafeBase64Escape("1:2:3"), absl::WebSafeBase64Escape("0:1:a:b:c"),
        changed, EncodeResumeToken(short_digest), EncodeResumeToken(before_the_manifest)}) {
    EXPECT_EQ(DecodeResumeToken(token).status().code(), absl::StatusCode::kInvalidArgument) << token;
  }
}

TEST(ResumeToken, SaysThatANewerProgramGaveIt) {
  EXPECT_EQ(DecodeResumeToken(absl::WebSafeBase64Escape("2:12:whatever")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace kernelsmith::memory
