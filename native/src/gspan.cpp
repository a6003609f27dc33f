#include "graphassay/gspan.hpp"

#include <algorithm>
#include <optional>

#include "graphassay/errors.hpp"
#include "graphassay/text.hpp"

namespace graphassay {
namespace {

constexpr std::size_t kExampleLength = 120;

struct Edge {
  std::uint64_t key;  // u << 32 | v, u < v
  std::int32_t label;
  std::int64_t line;
};

class GspanParser {
 public:
  explicit GspanParser(std::string_view text) : lines_(text) {}

  ParsedGspan run() {
    while (lines_.next()) {
      std::string_view rest = lines_.line();
      const std::string_view kind = next_token(rest);
      if (kind.empty()) continue;
      if (kind == "t") {
        finish_record();
        begin_record(rest);
      } else if (kind == "x" || kind == "x:" || kind.front() == '#' || kind.front() == '%') {
        ++out_.n_ignored_lines;
      } else if (!open_) {
        throw InvalidInput("line " + std::to_string(lines_.number()) +
                           ": expected a line 't # id' first, got '" + example() + "'");
      } else if (!refusal_) {
        read_item(kind, rest);
      }
    }
    finish_record();
    if (!seen_any_) throw InvalidInput("expected lines 't # id', found none");
    out_.vertex_names = vertex_name_.names();
    out_.edge_names = edge_name_.names();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string example() const {
    return std::string(lines_.line().substr(0, kExampleLength));
  }

  void refuse(GspanRefusal reason) {
    if (!refusal_) refusal_ = RefusedGspan{reason, lines_.number(), example()};
  }

  void begin_record(std::string_view rest) {
    std::string_view token = next_token(rest);
    if (token == "#") token = next_token(rest);
    if (token.size() > 1 && token.front() == '#') token.remove_prefix(1);
    seen_any_ = true;
    open_ = true;
    id_ = token;
    start_line_ = lines_.number();
    start_text_ = lines_.line().substr(0, kExampleLength);
    refusal_.reset();
    vertices_.clear();
    edges_.clear();
  }

  void read_item(std::string_view kind, std::string_view rest) {
    if (kind == "v") {
      read_vertex(rest);
    } else if (kind == "e" || kind == "u") {
      read_edge(rest);
    } else if (kind == "d") {
      refuse(GspanRefusal::directed_edge);
    } else {
      refuse(GspanRefusal::unreadable_line);
    }
  }

  void read_vertex(std::string_view rest) {
    std::int64_t id = 0;
    if (!to_integer(next_token(rest), id)) return refuse(GspanRefusal::unreadable_line);
    const auto expected = static_cast<std::int64_t>(vertices_.size());
    if (id >= 0 && id < expected) return refuse(GspanRefusal::vertex_declared_twice);
    if (id != expected) return refuse(GspanRefusal::vertex_ids_not_contiguous);
    const std::string_view label = next_token(rest);
    if (label.empty()) return refuse(GspanRefusal::vertex_without_label);
    if (!next_token(rest).empty()) return refuse(GspanRefusal::unreadable_line);
    vertices_.push_back(vertex_name_(label));
  }

  void read_edge(std::string_view rest) {
    std::int64_t u = 0;
    std::int64_t v = 0;
    if (!to_integer(next_token(rest), u) || !to_integer(next_token(rest), v)) {
      return refuse(GspanRefusal::unreadable_line);
    }
    const auto n = static_cast<std::int64_t>(vertices_.size());
    if (u < 0 || v < 0 || u >= n || v >= n) return refuse(GspanRefusal::undeclared_vertex);
    if (u == v) return refuse(GspanRefusal::self_loop);
    const std::string_view label = next_token(rest);
    if (label.empty()) return refuse(GspanRefusal::edge_without_label);
    if (!next_token(rest).empty()) return refuse(GspanRefusal::unreadable_line);
    const auto low = static_cast<std::uint64_t>(std::min(u, v));
    const auto high = static_cast<std::uint64_t>(std::max(u, v));
    edges_.push_back({(low << 32) | high, edge_name_(label), lines_.number()});
  }

  void finish_record() {
    if (!open_) return;
    open_ = false;
    if (!refusal_ && vertices_.empty()) {
      if (id_ == "-1") return;  // gSpan's end mark
      refusal_ = RefusedGspan{GspanRefusal::no_vertex, start_line_, std::string(start_text_)};
    }
    if (!refusal_) {
      std::stable_sort(edges_.begin(), edges_.end(),
                       [](const Edge& a, const Edge& b) { return a.key < b.key; });
      const auto twin =
          std::adjacent_find(edges_.begin(), edges_.end(),
                             [](const Edge& a, const Edge& b) { return a.key == b.key; });
      if (twin != edges_.end()) {
        refusal_ = RefusedGspan{
            GspanRefusal::parallel_edges, (twin + 1)->line,
            "e " + std::to_string(twin->key >> 32) + " " + std::to_string(twin->key & 0xffffffffU)};
      }
    }
    if (refusal_) {
      out_.refused.push_back(*std::move(refusal_));
      refusal_.reset();
      return;
    }
    out_.vertex_labels.insert(out_.vertex_labels.end(), vertices_.begin(), vertices_.end());
    out_.vertex_offsets.push_back(static_cast<std::int64_t>(out_.vertex_labels.size()));
    for (const Edge& edge : edges_) {
      out_.edge_u.push_back(static_cast<std::int32_t>(edge.key >> 32));
      out_.edge_v.push_back(static_cast<std::int32_t>(edge.key & 0xffffffffU));
      out_.edge_labels.push_back(edge.label);
    }
    out_.edge_offsets.push_back(static_cast<std::int64_t>(out_.edge_u.size()));
    out_.ids.emplace_back(id_);
    out_.lines.push_back(start_line_);
  }

  Lines lines_;
  ParsedGspan out_;
  Interner vertex_name_;
  Interner edge_name_;
  bool seen_any_ = false;
  bool open_ = false;
  std::string_view id_;
  std::int64_t start_line_ = 0;
  std::string_view start_text_;
  std::optional<RefusedGspan> refusal_;
  std::vector<std::int32_t> vertices_;
  std::vector<Edge> edges_;
};

}  // namespace

ParsedGspan parse_gspan(std::string_view text) { return GspanParser(text).run(); }

}  // namespace graphassay
