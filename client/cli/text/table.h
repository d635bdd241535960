// Aligned columns of text.
//
//   Table table({"job", "state", "best"}, {Align::kLeft, Align::kLeft, Align::kRight});
//   table.Add({"j-1", "running", "12.3 us"});
//   out << table.Render();
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::client {

enum class Align { kLeft, kRight };

class Table {
 public:
  // An empty heading row prints none.
  explicit Table(std::vector<std::string> headings, std::vector<Align> alignment = {});
  // REQUIRES: as many cells as the first row has.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Every line ends with a newline; columns are two blanks apart; no blanks at line ends.
  std::string Render() const;

 private:
  std::vector<std::string> headings_;
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a terminal needs for UTF-8 text of single-width characters.
size_t DisplayWidth(const std::string& text);

}  // namespace kernelsmith::client
