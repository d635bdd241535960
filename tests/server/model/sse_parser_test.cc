#include "server/model/sse_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace kernelsmith::server {
namespace {

using testing::ElementsAre;

std::vector<std::string> EventsOf(const std::string& stream, size_t piece) {
  SseParser parser;
  std::vector<std::string> events;
  for (size_t begin = 0; begin < stream.size(); begin += piece) {
    EXPECT_TRUE(parser
                    .Feed(absl::string_view(stream).substr(begin, piece),
                          [&](absl::string_view data) { events.emplace_back(data); })
                    .ok());
  }
  return events;
}

struct Case {
  const char* name;
  std::string stream;
  std::vector<std::string> events;
};

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {"line feeds", "data: a\n\ndata: b\n\n", {"a", "b"}},
      {"carriage returns", "data: a\r\rdata: b\r\r", {"a", "b"}},
      {"both", "data: a\r\n\r\ndata: b\r\n\r\n", {"a", "b"}},
      {"mixed ends", "data: a\r\n\ndata: b\n\r\n", {"a", "b"}},
      {"several data lines", "data: a\ndata: b\ndata:\n\n", {"a\nb\n"}},
      {"one blank only is removed", "data:  a\n\ndata:b\n\n", {" a", "b"}},
      {"other fields and comments", ": ping\nevent: x\nid: 3\nretry: 10\ndata: a\n\n", {"a"}},
      {"events without data", "event: ping\n\n: keep-alive\n\ndata: a\n\n", {"a"}},
      {"empty data", "data\n\ndata:\n\n", {"", ""}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {"a"}},
      {"colon inside", "data: {\"a\": \"b: c\"}\n\n", {"{\"a\": \"b: c\"}"}},
      {"similar field names", "dat: a\ndatax: b\n data: c\ndata: d\n\n", {"d"}},
      {"unfinished event", "data: a\n\ndata: b\n", {"a"}},
      {"unfinished line", "data: a\n\ndata: b", {"a"}},
      {"not a stream", "<html>\n\n</html>\n\n", {}},
      {"bytes that are no text", std::string("data: \x80\xFF\0x\n\n", 13), {std::string("\x80\xFF\0x", 4)}},
  };
  return *cases;
}

TEST(SseParser, FindsEventsWhereverTheStreamIsCut) {
  for (const Case& c : Cases()) {
    for (size_t piece = 1; piece <= c.stream.size(); ++piece) {
      EXPECT_EQ(EventsOf(c.stream, piece), c.events) << c.name << " in pieces of " << piece;
    }
  }
}

TEST(SseParser, GivesTheSameEventsForRandomBytesInRandomPieces) {
  std::mt19937 random(7);
  const std::string alphabet = "\r\n:: dataevent{}x\x80";
  for (int round = 0; round < 300; ++round) {
    std::string stream;
    for (int i = 0; i < 200; ++i) stream += alphabet[random() % alphabet.size()];
    const auto whole = EventsOf(stream, stream.size());
    EXPECT_EQ(EventsOf(stream, 1 + random() % 20), whole) << testing::PrintToString(stream);
  }
}

TEST(SseParser, RefusesAnEventAboveTheLimit) {
  for (const std::string& stream :
       {std::string("data: ") + std::string(200, 'x'),
        std::string("data: 12345678901234567890\n") + std::string(90, 'y'), std::string(150, ':')}) {
    SseParser parser(100);
    EXPECT_EQ(parser.Feed(stream, [](absl::string_view) {}).code(), absl::StatusCode::kResourceExhausted);
  }
}

TEST(SseParser, HasNoLimitOnTheWholeStream) {
  SseParser parser(100);
  int events = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(parser.Feed("data: 0123456789\n\n", [&](absl::string_view) { ++events; }).ok());
  }
  EXPECT_EQ(events, 1000);
}

}  // namespace
}  // namespace kernelsmith::server
