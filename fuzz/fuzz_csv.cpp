// CSV against a state machine over single characters.
#include "harness.hpp"
#include "reference_text.hpp"

using namespace onlinear;
using fuzz::Row;

namespace {

struct Record {
    enum class Kind { cells, broken, unfinished } kind = Kind::cells;
    std::vector<std::string> cells;
    std::size_t end = 0;  ///< behind its newline
};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

Record read_record(const std::string& data, std::size_t at, char delimiter) {
    Record record;
    for (;;) {
        while (data[at] == ' ') ++at;
        std::string cell;
        if (data[at] == '"') {
            ++at;
            for (;; ++at) {
                if (at == data.size()) {
                    record.kind = Record::Kind::unfinished;
                    return record;
                }
                if (data[at] != '"') {
                    cell += data[at];
                } else if (at + 1 < data.size() && data[at + 1] == '"') {
                    cell += data[at++];
                } else {
                    break;
                }
            }
            ++at;
            while (blank(data[at]) && data[at] != delimiter) ++at;
            if (data[at] != delimiter && data[at] != '\n') {
                record.kind = Record::Kind::broken;
                return record;
            }
        } else {
            while (data[at] != delimiter && data[at] != '\n') cell += data[at++];
            while (!cell.empty() && blank(cell.back())) cell.pop_back();
        }
        record.cells.push_back(cell);
        if (data[at++] == '\n') {
            record.end = at;
            return record;
        }
    }
}

class Table {
public:
    explicit Table(const text::Settings& settings) : settings_(settings) {}

    bool has_header() const { return !names_.empty(); }

    bool header(const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!fuzz::is_utf8(cells[i])) return false;
            if (std::count(cells.begin(), cells.end(), cells[i]) > 1) return false;
            names_.push_back(cells[i]);
            roles_.push_back("undecided");
        }
        for (const auto& [name, role] :
             {std::pair{settings_.weight_field, "weight"}, std::pair{settings_.tag_field, "tag"}}) {
            if (!name.empty() && !assign(name, role)) return false;
        }
        for (const std::string& name : settings_.text_fields) {
            if (!assign(name, "text")) return false;
        }
        if (settings_.labelled == text::Labelled::never) return true;
        for (const std::string usual : {"label", "target", "class", "y"}) {
            for (std::size_t i = 0; i < names_.size(); ++i) {
                std::string lower = names_[i];
                for (char& c : lower) c = static_cast<char>(c | 0x20);
                std::string wanted = usual;
                for (char& c : wanted) c = static_cast<char>(c | 0x20);
                if (lower == wanted && roles_[i] == "undecided") {
                    roles_[i] = "label";
                    return true;
                }
            }
        }
        return settings_.labelled == text::Labelled::as_found;
    }

    bool row(const std::vector<std::string>& cells, Row& row) {
        if (cells.size() != names_.size()) return false;
        bool finite = true;
        bool labelled = false;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string& role = roles_[i];
            const std::string& cell = cells[i];
            if (role == "label") {
                labelled = true;
                if (!label(cell, row)) return false;
            } else if (role == "weight") {
                const auto weight = fuzz::to_double(cell);
                if (!weight || *weight < 0) return false;
                row.weight = std::bit_cast<std::uint64_t>(*weight);
            } else if (role == "tag") {
                if (!fuzz::is_utf8(cell)) return false;
                row.tag = cell;
            } else if (role == "text") {
                if (!fuzz::is_utf8(cell)) return false;
                fuzz::add_text(row, cell, settings_.text);
            } else if (!cell.empty() && cell != "NA") {
                const bool yes = cell == "true" || cell == "True" || cell == "TRUE";
                const bool no = cell == "false" || cell == "False" || cell == "FALSE";
                if (role == "undecided" && fuzz::is_time(cell)) return false;
                if (role == "undecided") roles_[i] = yes || no || is_number(cell) ? "numeric" : "categorical";
                if (roles_[i] == "numeric") {
                    const auto value = yes || no ? std::optional<float>(yes) : fuzz::to_float(cell);
                    if (!value) return false;
                    if (*value != 0) finite = fuzz::add_feature(row, column(names_[i]), *value) && finite;
                } else {
                    if (!fuzz::is_utf8(cell)) return false;
                    finite = fuzz::add_feature(row, column(names_[i] + "=" + cell), 1) && finite;
                }
            }
        }
        if (!labelled && !settings_.multilabel) row.labels.push_back("none");
        return finite;
    }

private:
    bool assign(const std::string& name, const char* role) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) return false;
        roles_[static_cast<std::size_t>(found - names_.begin())] = role;
        return true;
    }

    /// Also what is a number but none we take, as 1e400 or nan.
    static bool is_number(const std::string& cell) {
        if (fuzz::is_decimal(cell)) return true;
        std::string word = cell;
        if (word[0] == '+' || word[0] == '-') word.erase(0, 1);
        for (char& c : word) c = static_cast<char>(c | 0x20);
        return word == "nan" || word == "inf" || word == "infinity";
    }

    std::int32_t column(const std::string& name) const {
        return static_cast<std::int32_t>(
            text::hashed_column(text::murmur3_32(name.data(), name.size(), 0), settings_.bits));
    }

    bool label(const std::string& cell, Row& row) const {
        if (cell.empty() || cell == "NA") {
            if (settings_.multilabel) return true;
            row.labels.push_back("none");
            return settings_.labelled != text::Labelled::always;
        }
        for (std::size_t at = 0;;) {
            const std::size_t comma =
                settings_.multilabel ? std::min(cell.find(',', at), cell.size()) : cell.size();
            const auto label = fuzz::label(cell.substr(at, comma - at));
            if (!label) return false;
            row.labels.push_back(*label);
            if (comma == cell.size()) return true;
            at = comma + 1;
        }
    }

    const text::Settings& settings_;
    std::vector<std::string> names_;
    std::vector<std::string> roles_;
};

fuzz::Result reference(std::string data, const text::Settings& settings) {
    fuzz::Result result;
    if (data.starts_with("\xff\xfe") || data.starts_with("\xfe\xff")) {
        result.refused.push_back(1);
        return result;
    }
    if (data.starts_with("\xef\xbb\xbf")) data.erase(0, 3);
    if (!data.empty() && data.back() != '\n') data += '\n';
    Table table(settings);
    std::int64_t line = 1;
    for (std::size_t at = 0; at < data.size();) {
        if (data[at] == '\n' || data.compare(at, 2, "\r\n") == 0) {
            at += data[at] == '\n' ? 1 : 2;
            ++line;
            continue;
        }
        const Record record = read_record(data, at, settings.delimiter);
        std::size_t end = record.end;
        bool good = record.kind == Record::Kind::cells;
        if (!good) {
            end = data.find('\n', at) + 1;
        } else if (!table.has_header()) {
            good = table.header(record.cells);
            if (!good) {
                result.refused.push_back(0);
                return result;
            }
        } else {
            Row row;
            row.line = line;
            good = table.row(record.cells, row);
            if (good) result.rows.push_back(row);
        }
        if (!good && result.refused.size() < text::Reader::kKeptProblems) result.refused.push_back(line);
        line += std::count(data.begin() + static_cast<std::ptrdiff_t>(at),
                           data.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        at = end;
    }
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4096) return 0;
    text::Settings settings;
    settings.bits = 1 + (data[0] & 7);
    settings.multilabel = data[0] & 8;
    settings.delimiter = data[0] & 16 ? '\t' : ',';
    settings.labelled = fuzz::labelled_of(data[0] >> 5);
    settings.text.bits = settings.bits;
    settings.missing = {"NA"};
    if (data[1] & 64) {
        settings.weight_field = "w";
        settings.tag_field = "id";
        settings.text_fields = {"t"};
    }
    const std::string input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const fuzz::Result got = fuzz::run_twice(text::make_csv, settings, input, data[1]);
    const fuzz::Result expected = reference(input, settings);
    // A problem stands where it was found, which in a record of several lines may be further down.
    if (got.rows == expected.rows && got.refused.size() == expected.refused.size()) return 0;
    for (const Row& row : expected.rows) std::fprintf(stderr, "expected: %s\n", row.show().c_str());
    for (const Row& row : got.rows) std::fprintf(stderr, "got:      %s\n", row.show().c_str());
    std::fprintf(stderr, "expected %zu refused, got %zu\n", expected.refused.size(), got.refused.size());
    fuzz::fail("the reference reads it otherwise");
}
