// Fast readers of line-based text: tables of integers, and columns of labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphassay {

// Walks a text line by line. Lines end in \n, \r\n or the end of the text; line() excludes them.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  // Moves to the next line; false at the end. A final newline starts no further line.
  bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::int64_t number() const { return number_; }  // 1-based

 private:
  std::string_view rest_;
  std::string_view line_;
  std::int64_t number_ = 0;
};

// Cuts the next token (no spaces or tabs in it) from the front of `line`; empty when none is left.
std::string_view next_token(std::string_view& line);

// Reads a whole token as a decimal integer; false on anything else, or overflow.
bool to_integer(std::string_view token, std::int64_t& value);

// Numbers distinct strings 0, 1, … by first appearance. Keys point into a text that must outlive
// it.
class Interner {
 public:
  std::int32_t operator()(std::string_view name);
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::unordered_map<std::string_view, std::int32_t> index_;
  std::vector<std::string_view> names_;
};

// Rows of exactly `n_columns` integers, separated by commas, spaces or tabs; row-major.
// Blank lines may only end the text. Throws InvalidInput that begins "line N: ". O(size).
std::vector<std::int64_t> parse_integer_rows(std::string_view text, std::size_t n_columns);

struct LabelColumn {
  std::vector<std::int32_t> labels;  // one per line, indices into names
  std::vector<std::string> names;    // by first appearance
};
// One label per line, outer blanks cut. Blank lines may only end the text; otherwise InvalidInput.
LabelColumn parse_label_lines(std::string_view text);

}  // namespace graphassay
