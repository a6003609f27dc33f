#include "graphassay/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "graphassay/errors.hpp"

namespace graphassay {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::int64_t line, const std::string& expected, std::string_view found) {
  throw InvalidInput("line " + std::to_string(line) + ": expected " + expected + ", got '" +
                     std::string(found.substr(0, 40)) + "'");
}

// Only blank lines may be left once one was met.
void expect_end(Lines& lines, const std::string& expected) {
  const std::int64_t blank = lines.number();
  while (lines.next()) {
    if (!trimmed(lines.line()).empty()) refuse(blank, expected, "");
  }
}

}  // namespace

bool Lines::next() {
  if (rest_.empty()) return false;
  ++number_;
  const auto* found = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
  const std::size_t length =
      found == nullptr ? rest_.size() : static_cast<std::size_t>(found - rest_.data());
  line_ = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  return true;
}

std::string_view next_token(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

bool to_integer(std::string_view token, std::int64_t& value) {
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  return error == std::errc{} && stop == end;
}

std::int32_t Interner::operator()(std::string_view name) {
  const auto [place, fresh] = index_.try_emplace(name, static_cast<std::int32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  return place->second;
}

std::vector<std::string> Interner::names() const { return {names_.begin(), names_.end()}; }

std::vector<std::int64_t> parse_integer_rows(std::string_view text, std::size_t n_columns) {
  const std::string expected =
      std::to_string(n_columns) + (n_columns == 1 ? " integer" : " integers");
  std::vector<std::int64_t> values;
  values.reserve(text.size() / 4);
  Lines lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto skip_blanks = [&] {
      while (at != end && is_blank(*at)) ++at;
    };
    skip_blanks();
    if (at == end) {
      expect_end(lines, expected);
      break;
    }
    for (std::size_t column = 0; column < n_columns; ++column) {
      if (column > 0) {
        skip_blanks();
        if (at != end && *at == ',') ++at;
        skip_blanks();
      }
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(at, end, value);
      if (error != std::errc{}) refuse(lines.number(), expected, line);
      at = stop;
      values.push_back(value);
    }
    skip_blanks();
    if (at != end) refuse(lines.number(), expected, line);
  }
  return values;
}

LabelColumn parse_label_lines(std::string_view text) {
  LabelColumn column;
  Interner intern;
  Lines lines(text);
  while (lines.next()) {
    const std::string_view label = trimmed(lines.line());
    if (label.empty()) {
      expect_end(lines, "a label");
      break;
    }
    column.labels.push_back(intern(label));
  }
  column.names = intern.names();
  return column;
}

}  // namespace graphassay
