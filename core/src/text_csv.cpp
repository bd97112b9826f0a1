/// Comma- or tab-separated values with a header, quoted as RFC 4180 says.
///
/// A cell of a numeric column is the feature named like the column, with the cell's value; a cell of a
/// categorical column is the feature "column=cell". What a column is, the user says, or else its first
/// cell that is not empty; from then on it stays so, and a cell that does not fit is a fault, never a
/// guess. True is 1 and false is 0. Empty cells are no features. Blanks around an unquoted cell do not count.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/features.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/meaning.hpp"
#include "onlinear/text/named.hpp"
#include "onlinear/text/number.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text {

namespace {

/// One cell: where it stands, and its text, which lies in the line or, when quotes in it were doubled,
/// in a copy.
struct Cell {
    const char* at = nullptr;
    std::string_view text;
    bool in_line = true;
};

enum class Cut { record, unfinished, fault };

/// Cuts one record into cells.
class Cutter {
public:
    explicit Cutter(char delimiter) : delimiter_(delimiter) {}

    /// Reads the record at `p` and moves behind its newline. `unfinished`: a quoted cell goes on past
    /// `end`.
    Cut cut(const char*& p, const char* end, LineFault& fault);

    const std::vector<Cell>& cells() const noexcept { return cells_; }

private:
    Cut plain(const char*& p);
    Cut quoted_cell(const char*& p, const char* end, LineFault& fault);

    const char delimiter_;
    std::vector<Cell> cells_;
    std::vector<std::string> copies_;
    std::size_t copies_used_ = 0;
};

Cut Cutter::cut(const char*& p, const char* end, LineFault& fault) {
    cells_.clear();
    copies_used_ = 0;
    for (;;) {
        while (*p == ' ' && delimiter_ != ' ') ++p;
        const Cut result = *p == '"' ? quoted_cell(p, end, fault) : plain(p);
        if (result != Cut::record) return result;
        const char stop = *p++;
        if (stop == '\n') break;
    }
    std::size_t next = 0;
    for (Cell& cell : cells_) {
        if (copies_used_ != 0 && !cell.in_line) cell.text = copies_[next++];
    }
    return Cut::record;
}

/// Leaves `p` on the delimiter or the newline.
Cut Cutter::plain(const char*& p) {
    const char* const first = p;
    while (*p != delimiter_ && *p != '\n') ++p;
    const char* last = p;
    while (last != first && is_blank(last[-1])) --last;
    cells_.push_back({first, {first, static_cast<std::size_t>(last - first)}, true});
    return Cut::record;
}

Cut Cutter::quoted_cell(const char*& p, const char* end, LineFault& fault) {
    const char* const at = p++;
    const char* piece = p;
    std::string* copy = nullptr;
    for (;;) {
        const auto* quote = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
        if (quote == nullptr) return Cut::unfinished;
        p = quote + 1;
        if (p != end && *p == '"') {  // doubled: one quote of the text
            if (copy == nullptr) {
                if (copies_used_ == copies_.size()) copies_.emplace_back();
                copy = &copies_[copies_used_++];
                copy->clear();
            }
            copy->append(piece, p);
            piece = ++p;
            continue;
        }
        while (is_blank(*p) && *p != delimiter_) ++p;
        if (*p != delimiter_ && *p != '\n') {
            fault.set(p, "the end of the cell behind its closing quote", quoted(p, p + 1),
                      "Double the quotes inside a quoted cell.");
            return Cut::fault;
        }
        if (copy == nullptr) {
            cells_.push_back({at, {piece, static_cast<std::size_t>(quote - piece)}, true});
        } else {
            copy->append(piece, quote);
            cells_.push_back({at, {}, false});  // `cut` sets the text when no copy moves any more
        }
        return Cut::record;
    }
}

struct Column {
    std::string name;
    Role role = Role::undecided;
    Place feature{};       ///< where its number goes
    bool guessed = false;  ///< its first cell said that it holds categories, and no number has come yet
};

bool same_word(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

class Csv final : public Format {
public:
    Csv(const Settings& settings, Tables& tables)
        : settings_(settings),
          tables_(tables),
          cutter_(settings.delimiter),
          named_(settings.hash, settings.bits, tables.names),
          text_(settings.text, &tables.names) {}

    Outcome parse(Cursor& cursor, const char* end, bool last, const Limits& limits, ParsedRows& out,
                  LineFault& fault) override;
    const char* after_fault(const char* record, const char* end) const override;
    void start_file() override { has_header_ = false; }
    std::vector<std::pair<std::string, std::string>> schema() const override;
    bool open() const override { return false; }

private:
    bool header(LineFault& fault);
    bool assign_known(const char* at, LineFault& fault);
    void pass_over_unknown();
    void guess_categories(Column& column, const Cell& cell);
    void doubt_categories(Column& column, const Cell& cell);
    bool assign(const std::string& name, Role role, const char* at, LineFault& fault);
    bool assign_label(const char* at, LineFault& fault);
    bool missing_column(const std::string& name, const char* at, LineFault& fault) const;
    bool row(ParsedRows& out, LineFault& fault);
    bool cell(Column& column, const Cell& cell, ParsedRows& out, LineFault& fault);
    bool number(Column& column, const Cell& cell, ParsedRows& out, LineFault& fault);
    bool utf8(const Cell& cell, LineFault& fault) const;
    bool label(const Cell& cell, ParsedRows& out, LineFault& fault);
    bool weight(const Cell& cell, ParsedRows& out, LineFault& fault);
    NumberKind read_number(const Cell& cell, double& value);
    NumberKind read_number(const Cell& cell, float& value);
    bool is_missing(std::string_view text) const;

    const Settings settings_;
    Tables& tables_;
    Cutter cutter_;
    NamedFeatures named_;
    TextFeatures text_;
    bool has_header_ = false;
    std::vector<Column> columns_;
    std::map<std::string, Role, std::less<>> decided_;  ///< what columns are, for the files to come
    std::set<std::string> unknown_;                     ///< columns that were told not to be the model's
    std::string padded_;
};

bool Csv::missing_column(const std::string& name, const char* at, LineFault& fault) const {
    std::string names;
    for (const Column& column : columns_) names += (names.empty() ? "" : ", ") + column.name;
    const bool other_delimiter = columns_.size() == 1 && names.find_first_of(",;\t|") != std::string::npos;
    fault.fatal = true;
    return fault.set(at, "a column called " + quoted(name), "the columns " + quoted(names),
                     other_delimiter ? "Is the delimiter another one? Say delimiter=';' (--delimiter ';')."
                                     : "Name one of these.");
}

bool Csv::assign(const std::string& name, Role role, const char* at, LineFault& fault) {
    const auto found =
        std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.name == name; });
    if (found == columns_.end()) return missing_column(name, at, fault);
    found->role = role;
    return true;
}

bool Csv::assign_label(const char* at, LineFault& fault) {
    if (settings_.labelled == Labelled::never) return true;
    const bool known =
        std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.role == Role::label; });
    if (known) return true;
    if (!settings_.label_field.empty()) {
        const bool there = std::any_of(columns_.begin(), columns_.end(),
                                       [&](const Column& c) { return c.name == settings_.label_field; });
        if (!there && settings_.labelled == Labelled::as_found) return true;
        return assign(settings_.label_field, Role::label, at, fault);
    }
    for (const std::string_view usual : {"label", "target", "class", "y"}) {
        for (Column& column : columns_) {
            if (column.role == Role::undecided && same_word(column.name, usual)) {
                column.role = Role::label;
                return true;
            }
        }
    }
    if (settings_.labelled == Labelled::as_found) return true;
    missing_column("label", at, fault);
    if (fault.remedy == "Name one of these.") fault.remedy = "Say which it is: label=\"...\" (--label ...).";
    return false;
}

/// What the model knows of the columns; those whose features it has learned from must be there.
bool Csv::assign_known(const char* at, LineFault& fault) {
    for (const auto& [name, role] : settings_.known.columns) {
        const auto found =
            std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.name == name; });
        if (found != columns_.end()) {
            const bool free = found->role == Role::undecided && role != Role::undecided;
            const bool another = !settings_.label_field.empty() && settings_.label_field != name;
            const bool unwanted = role == Role::label && (another || settings_.labelled == Labelled::never);
            if (free) found->role = unwanted ? Role::ignored : role;
            continue;
        }
        const bool feature = role == Role::numeric || role == Role::categorical || role == Role::text;
        if (!feature || settings_.known.may_lack) continue;
        missing_column(name, at, fault);
        fault.expected += ", which the model has learned from";
        if (fault.remedy == "Name one of these.")
            fault.remedy = "Add it, or say allow_missing=True (--allow-missing) to go without.";
        return false;
    }
    return true;
}

/// Columns the model has never met, and that nobody has said anything of.
void Csv::pass_over_unknown() {
    if (!settings_.known || settings_.known.open) return;
    for (Column& column : columns_) {
        if (column.role != Role::undecided || decided_.contains(column.name)) continue;
        const auto known = std::find_if(settings_.known.columns.begin(), settings_.known.columns.end(),
                                        [&](const auto& item) { return item.first == column.name; });
        if (known != settings_.known.columns.end()) continue;  // it had no cells to tell what it is
        column.role = Role::ignored;
        if (unknown_.insert(column.name).second)
            notes_.push_back({line_, Note::About::unknown, column.name, ""});
    }
}

void Csv::guess_categories(Column& column, const Cell& cell) {
    column.guessed = true;
    notes_.push_back({line_, Note::About::guess, column.name, std::string(cell.text.substr(0, 64))});
}

void Csv::doubt_categories(Column& column, const Cell& cell) {
    double value = 0;
    if (cell.text.empty() || (!is_digit(cell.text.front()) && cell.text.find_first_of("+-.") != 0)) return;
    if (read_number(cell, value) != NumberKind::finite) return;
    column.guessed = false;
    notes_.push_back({line_, Note::About::doubt, column.name, std::string(cell.text.substr(0, 64))});
}

bool Csv::header(LineFault& fault) {
    const char* const at = cutter_.cells().front().at;
    columns_.clear();
    std::unordered_set<std::string_view> names;
    for (const Cell& cell : cutter_.cells()) {
        fault.fatal = true;
        if (!utf8(cell, fault)) return false;
        if (!names.insert(cell.text).second) {
            return fault.set(cell.at, "different column names", quoted(cell.text) + " twice",
                             "Rename one of the columns.");
        }
        fault.fatal = false;
        columns_.push_back({std::string(cell.text), Role::undecided, {}, false});
    }
    const auto assign_all = [&](const std::vector<std::string>& names, Role role) {
        return std::all_of(names.begin(), names.end(),
                           [&](const std::string& name) { return assign(name, role, at, fault); });
    };
    const auto assign_one = [&](const std::string& name, Role role) {
        return name.empty() || assign(name, role, at, fault);
    };
    const bool assigned = assign_all(settings_.numeric_fields, Role::numeric) &&
                          assign_all(settings_.categorical_fields, Role::categorical) &&
                          assign_all(settings_.text_fields, Role::text) &&
                          assign_all(settings_.ignored_fields, Role::ignored) &&
                          assign_one(settings_.weight_field, Role::weight) &&
                          assign_one(settings_.tag_field, Role::tag) && assign_known(at, fault) &&
                          assign_label(at, fault);
    if (!assigned) return false;
    pass_over_unknown();
    for (Column& column : columns_) {
        const auto known = decided_.find(column.name);
        if (column.role == Role::undecided && known != decided_.end()) column.role = known->second;
        if (column.role == Role::undecided || column.role == Role::numeric) {
            column.feature = named_.place(column.name);
        }
    }
    has_header_ = true;
    return true;
}

bool Csv::utf8(const Cell& cell, LineFault& fault) const {
    const char* const last = cell.text.data() + cell.text.size();
    if (find_invalid_utf8(cell.text.data(), last) == last) return true;
    return fault.set(cell.at, "UTF-8 text", quoted(cell.text), "Convert the file to UTF-8.");
}

bool Csv::is_missing(std::string_view text) const {
    return text.empty() ||
           std::find(settings_.missing.begin(), settings_.missing.end(), text) != settings_.missing.end();
}

// A cell in the line ends at something that ends numbers too; a copy gets the padding it lacks.
NumberKind Csv::read_number(const Cell& cell, double& value) {
    if (cell.in_line) return parse_double(cell.text.data(), cell.text.data() + cell.text.size(), value);
    padded_.assign(cell.text).append(kPadding, '\0');
    return parse_double(padded_.data(), padded_.data() + cell.text.size(), value);
}

NumberKind Csv::read_number(const Cell& cell, float& value) {
    if (cell.in_line) return parse_float(cell.text.data(), cell.text.data() + cell.text.size(), value);
    padded_.assign(cell.text).append(kPadding, '\0');
    return parse_float(padded_.data(), padded_.data() + cell.text.size(), value);
}

bool Csv::label(const Cell& cell, ParsedRows& out, LineFault& fault) {
    if (is_missing(cell.text)) {
        if (settings_.multilabel) return true;
        if (settings_.labelled == Labelled::always) {
            return fault.set(cell.at, "a label", "an empty cell", "Leave out rows whose label is missing.");
        }
        out.add_missing_label();
        return true;
    }
    if (!settings_.multilabel) return add_label_text(cell.text, cell.at, out, tables_.labels, fault);
    for (std::string_view rest = cell.text;;) {
        const std::size_t comma = rest.find(',');
        if (!add_label_text(rest.substr(0, comma), cell.at, out, tables_.labels, fault)) return false;
        if (comma == std::string_view::npos) return true;
        rest.remove_prefix(comma + 1);
    }
}

bool Csv::weight(const Cell& cell, ParsedRows& out, LineFault& fault) {
    double weight = 0;
    if (read_number(cell, weight) != NumberKind::finite || weight < 0) {
        return fault.set(cell.at, "a weight", cell.text.empty() ? "an empty cell" : quoted(cell.text),
                         "Weights are numbers that are not negative.");
    }
    out.set_weight(weight);
    return true;
}

bool Csv::number(Column& column, const Cell& cell, ParsedRows& out, LineFault& fault) {
    float value = 0;
    NumberKind kind = read_number(cell, value);
    if (const auto truth = truth_of(cell.text); truth && !settings_.older) {
        kind = NumberKind::finite;
        value = *truth ? 1 : 0;
    }
    if (column.role == Role::undecided) {
        if (is_timestamp(cell.text) && !settings_.older) {
            return fault.set(cell.at, "a number or a category", "the time " + quoted(cell.text),
                             timestamp_remedy(quoted(column.name)));
        }
        column.role = kind == NumberKind::word ? Role::categorical : Role::numeric;
        decided_[column.name] = column.role;
        if (column.role == Role::categorical) {
            if (!utf8(cell, fault)) return false;
            guess_categories(column, cell);
            return this->cell(column, cell, out, fault);
        }
    }
    if (kind == NumberKind::word) {
        return fault.set(cell.at, "a number in column " + quoted(column.name), quoted(cell.text),
                         "If the column holds categories say categorical=[" + quoted(column.name) +
                             "] (--categorical); if this means no value, missing=[" + quoted(cell.text) +
                             "] (--missing).");
    }
    if (kind != NumberKind::finite) {
        set_number_fault(kind, cell.at, cell.text, fault);
        if (kind == NumberKind::special) {
            fault.remedy = "If it means no value say missing=[" + quoted(cell.text) + "] (--missing).";
        }
        return false;
    }
    if (value != 0) NamedFeatures::add(column.feature, value, out);
    return true;
}

bool Csv::cell(Column& column, const Cell& cell, ParsedRows& out, LineFault& fault) {
    switch (column.role) {
        case Role::ignored:
            return true;
        case Role::label:
            return label(cell, out, fault);
        case Role::weight:
            return weight(cell, out, fault);
        case Role::tag:
            if (!utf8(cell, fault)) return false;
            out.set_tag(cell.text);
            return true;
        case Role::text:
            if (!utf8(cell, fault)) return false;
            text_.add(cell.text, out);
            return true;
        case Role::categorical:
            if (is_missing(cell.text)) return true;
            if (!utf8(cell, fault)) return false;
            if (column.guessed) doubt_categories(column, cell);
            named_.add_category(column.name, cell.text, out);
            return true;
        case Role::undecided:
        case Role::numeric:
            return is_missing(cell.text) || number(column, cell, out, fault);
    }
    return true;
}

bool Csv::row(ParsedRows& out, LineFault& fault) {
    const std::vector<Cell>& cells = cutter_.cells();
    if (cells.size() != columns_.size()) {
        const Cell& last = cells[std::min(cells.size(), columns_.size() + 1) - 1];
        return fault.set(last.at, std::to_string(columns_.size()) + " cells as in the header",
                         std::to_string(cells.size()),
                         "Quote cells that hold the delimiter or a line break.");
    }
    const std::size_t labels = out.labels.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cell(columns_[i], cells[i], out, fault)) return false;
    }
    if (!settings_.multilabel && out.labels.size() == labels) out.add_missing_label();
    return true;
}

Outcome Csv::parse(Cursor& cursor, const char* end, bool last, const Limits& limits, ParsedRows& out,
                   LineFault& fault) {
    while (cursor.at != end) {
        const char* p = cursor.at;
        line_ = cursor.line;
        if (*p == '\n' || (*p == '\r' && p[1] == '\n')) {  // an empty line
            cursor = {p + (*p == '\r') + 1, cursor.line + 1};
            continue;
        }
        switch (cutter_.cut(p, end, fault)) {
            case Cut::fault:
                return Outcome::fault;
            case Cut::unfinished: {
                const bool long_record = static_cast<std::size_t>(end - cursor.at) > settings_.max_line;
                if (!last && !long_record) return Outcome::used_up;
                fault.set(cursor.at, "a closing quote", "none in this record",
                          "Every quoted cell ends with a quote.");
                return Outcome::fault;
            }
            case Cut::record:
                break;
        }
        if (static_cast<std::size_t>(p - cursor.at) > settings_.max_line + 1) {
            set_long_line_fault(cursor.at, settings_.max_line, fault);
            return Outcome::fault;
        }
        if (!has_header_) {
            if (!header(fault)) return Outcome::fault;
        } else if (!row(out, fault)) {
            out.drop_row();
            return Outcome::fault;
        } else if (!out.end_row(cursor.line)) {
            set_sum_fault(cursor.at, fault);
            return Outcome::fault;
        }
        cursor.line += std::count(cursor.at, p, '\n');
        cursor.at = p;
        if (limits.reached(out)) return Outcome::batch_full;
    }
    return Outcome::used_up;
}

/// Behind the whole record when its quotes are in order, else behind its first line.
const char* Csv::after_fault(const char* record, const char* end) const {
    Cutter cutter(settings_.delimiter);
    LineFault ignored;
    const char* p = record;
    if (cutter.cut(p, end, ignored) == Cut::record) return p;
    return Format::after_fault(record, end);
}

std::vector<std::pair<std::string, std::string>> Csv::schema() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Column& column : columns_) all.emplace_back(column.name, word_of(column.role));
    return all;
}

}  // namespace

std::unique_ptr<Format> make_csv(const Settings& settings, Tables& tables) {
    return std::make_unique<Csv>(settings, tables);
}

}  // namespace onlinear::text
