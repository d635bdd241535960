// kernelsmith-sentencepiece <model file>: counts tokens for the memory service. It is started by it and ends with it;
// the bytes on standard input and output are described in memory/context/tokens/tokenizer_process.h. It links nothing
// of ours, because libsentencepiece brings symbols of an older protobuf.
#include <sentencepiece_processor.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr uint32_t kLongestText = uint32_t{64} << 20;

bool ReadAll(char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = read(STDIN_FILENO, bytes + done, size - done);
    if (count == 0 || (count < 0 && errno != EINTR)) return false;
    if (count > 0) done += static_cast<size_t>(count);
  }
  return true;
}

bool WriteAll(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (count <= 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<size_t>(count);
  }
  return true;
}

std::string LittleEndian(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

bool Hello(const std::string& error) { return WriteAll(LittleEndian(error.size(), 4) + error); }

int64_t CountTokens(const sentencepiece::SentencePieceProcessor& processor, const std::string& text) {
  std::vector<int> ids;
  return processor.Encode(text, &ids).ok() ? static_cast<int64_t>(ids.size()) : -1;
}

int Serve(const char* model_file) {
  sentencepiece::SentencePieceProcessor processor;
  const sentencepiece::util::Status loaded = processor.Load(model_file);
  if (!loaded.ok()) {
    Hello("it is no SentencePiece model or is damaged: " + std::string(loaded.message()).substr(0, 1000));
    return 1;
  }
  if (!Hello("")) return 1;
  unsigned char header[4];
  std::string text;
  while (ReadAll(reinterpret_cast<char*>(header), sizeof(header))) {
    uint32_t size = 0;
    for (size_t i = 0; i < sizeof(header); ++i) size |= uint32_t{header[i]} << (8 * i);
    if (size > kLongestText) return 1;
    text.resize(size);
    if (!ReadAll(text.data(), text.size())) return 1;
    if (!WriteAll(LittleEndian(static_cast<uint64_t>(CountTokens(processor, text)), 8))) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return Serve(argv[1]);
  } catch (const std::exception& error) {
    Hello(std::string("the library failed: ") + error.what());
    return 1;
  }
}
