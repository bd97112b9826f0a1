#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "onlinear/text/format.hpp"
#include "onlinear/text/reader.hpp"
#include "text_shared.hpp"

/// Bytes to batches of rows.
namespace onlinear::bindings {

namespace {

// Batches are the size of the processor's cache and come by the hundred: their memory goes round.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
public:
    std::shared_ptr<text::ParsedRows> take() {
        std::unique_ptr<text::ParsedRows> batch;
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) {
                batch = std::move(free_.back());
                free_.pop_back();
            }
        }
        if (batch == nullptr) batch = std::make_unique<text::ParsedRows>();
        batch->clear();
        return {batch.release(), [pool = shared_from_this()](text::ParsedRows* used) { pool->put(used); }};
    }

private:
    static constexpr std::size_t kKept = 4;

    void put(text::ParsedRows* used) {
        std::unique_ptr<text::ParsedRows> batch(used);
        const std::lock_guard lock(mutex_);
        if (free_.size() < kKept) free_.push_back(std::move(batch));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<text::ParsedRows>> free_;
};

template <class T, text::Array<T> text::ParsedRows::* Member>
void bind_array(nb::class_<BatchHandle>& batch, const char* name, const char* doc) {
    batch.def_prop_ro(
        name,
        [](nb::handle self) {
            text::Array<T>& array = (*nb::cast<BatchHandle&>(self).batch).*Member;
            return view<nb::memview>(array, self);
        },
        doc);
}

std::unique_ptr<text::Format> make_format(const std::string& name, const text::Settings& settings,
                                          text::Tables& tables) {
    if (name == "svmlight") return text::make_svmlight(settings, tables);
    if (name == "vw") return text::make_vw(settings, tables);
    if (name == "csv") return text::make_csv(settings, tables);
    if (name == "jsonl") return text::make_jsonl(settings, tables);
    if (name == "text") return text::make_lines(settings, tables);
    throw nb::value_error(("unknown format " + name).c_str());
}

/// A reader with the tables and batches that belong to it. One thread at a time.
class ReaderHandle {
public:
    ReaderHandle(const std::string& format, const text::Settings& settings, std::size_t max_names,
                 text::Limits limits, text::ErrorPolicy policy)
        : tables_(std::make_unique<text::Tables>(text::Tables{{}, text::NameTable(max_names)})),
          pool_(std::make_shared<BatchPool>()),
          batch_(pool_->take()) {
        std::unique_ptr<text::Format> made = make_format(format, settings, *tables_);
        format_ = made.get();
        reader_ = std::make_unique<text::Reader>(std::move(made), limits, policy, settings.max_line);
    }

    nb::object room(std::size_t bytes) {
        char* const space = reader_->room(bytes);
        room_ = bytes;
        return nb::steal(PyMemoryView_FromMemory(space, static_cast<Py_ssize_t>(bytes), PyBUF_WRITE));
    }

    void commit(std::size_t bytes) {
        if (bytes > room_) throw nb::value_error("more bytes than there was room for");
        room_ = 0;
        reader_->commit(bytes);
    }

    void feed(const nb::bytes& block) {
        std::memcpy(reader_->room(block.size()), block.c_str(), block.size());
        room_ = 0;
        reader_->commit(block.size());
    }

    void finish() { reader_->finish(); }
    void start_file() { reader_->start_file(); }

    text::Reader::State read() {
        const nb::gil_scoped_release free;
        return reader_->read(*batch_);
    }

    std::int64_t pending() const noexcept { return batch_->rows(); }
    BatchHandle take() { return {std::exchange(batch_, pool_->take())}; }

    const text::Reader& reader() const noexcept { return *reader_; }
    const text::Tables& tables() const noexcept { return *tables_; }
    text::NameTable& names() noexcept { return tables_->names; }
    const text::Format& format() const noexcept { return *format_; }

private:
    std::unique_ptr<text::Tables> tables_;
    std::shared_ptr<BatchPool> pool_;
    std::shared_ptr<text::ParsedRows> batch_;
    text::Format* format_ = nullptr;
    std::unique_ptr<text::Reader> reader_;
    std::size_t room_ = 0;
};

void bind_batch(nb::module_& m) {
    nb::class_<BatchHandle> batch(m, "Batch", "Rows, as memoryviews of native memory.");
    bind_array<std::int64_t, &text::ParsedRows::indptr>(batch, "indptr", "Where rows start in `indices`.");
    bind_array<std::int32_t, &text::ParsedRows::indices>(batch, "indices", "Columns, rising in each row.");
    bind_array<float, &text::ParsedRows::values>(batch, "values", "Their values.");
    bind_array<std::int64_t, &text::ParsedRows::lines>(batch, "lines", "The line each row was read from.");
    bind_array<double, &text::ParsedRows::labels>(batch, "labels",
                                                  "Labels that are numbers; NaN for others.");
    bind_array<std::int32_t, &text::ParsedRows::label_ids>(batch, "label_ids",
                                                           "Text labels; -1 for numbers.");
    bind_array<std::int64_t, &text::ParsedRows::label_indptr>(batch, "label_indptr",
                                                              "Where rows start in `labels`.");
    bind_array<double, &text::ParsedRows::weights>(batch, "weights", "Importance of each row.");
    batch.def_prop_ro("n_rows", [](const BatchHandle& b) { return b.batch->rows(); });
    batch.def_prop_ro(
        "n_columns",
        [](const BatchHandle& b) {
            std::int64_t columns = 0;
            const text::ParsedRows& rows = *b.batch;
            for (std::size_t i = 1; i < rows.indptr.size(); ++i)
                if (rows.indptr[i] > rows.indptr[i - 1])
                    columns = std::max<std::int64_t>(columns, rows.indices[rows.indptr[i] - 1] + 1);
            return columns;
        },
        "One more than the highest column of any row.");
    batch.def_prop_ro("any_text_label", [](const BatchHandle& b) { return b.batch->any_text_label; });
    batch.def_prop_ro("any_missing_label", [](const BatchHandle& b) { return b.batch->any_missing_label; });
    batch.def_prop_ro("any_weight", [](const BatchHandle& b) { return b.batch->any_weight; });
    batch.def_prop_ro("any_tag", [](const BatchHandle& b) { return b.batch->any_tag; });
    batch.def(
        "tags",
        [](const BatchHandle& b) {
            nb::list tags;
            for (std::size_t i = 1; i < b.batch->tag_ends.size(); ++i) {
                const std::int64_t first = b.batch->tag_ends[i - 1];
                tags.append(nb::str(b.batch->tags.data() + first,
                                    static_cast<std::size_t>(b.batch->tag_ends[i] - first)));
            }
            return tags;
        },
        nb::sig("def tags(self) -> list[str]"), "The tag of each row, empty where it has none.");
}

}  // namespace

void bind_reader(nb::module_& m) {
    bind_batch(m);
    bind_shuffle(m);
    nb::class_<text::Problem>(m, "Problem", "A line that could not be read, and why.")
        .def_ro("line", &text::Problem::line)
        .def_ro("column", &text::Problem::column)
        .def_ro("expected", &text::Problem::expected)
        .def_ro("found", &text::Problem::found)
        .def_ro("remedy", &text::Problem::remedy);

    nb::enum_<text::Reader::State>(m, "State")
        .value("hungry", text::Reader::State::hungry)
        .value("full", text::Reader::State::full)
        .value("ended", text::Reader::State::ended)
        .value("stopped", text::Reader::State::stopped);

    using Words = std::vector<std::string>;
    nb::class_<ReaderHandle>(m, "Reader", "Bytes in, batches out.")
        .def(
            "__init__",
            [](ReaderHandle* self, const std::string& format, std::uint64_t max_features,
               const std::string& hash, bool older, int bits, bool zero_based, bool multilabel,
               const std::string& labelled, const std::string& label, const std::string& weight,
               const std::string& tag, Words text_fields, Words numeric, Words categorical, Words ignored,
               Words missing, const std::string& delimiter, const std::string& analyzer, int ngram_min,
               int ngram_max, bool lowercase, const std::string& text_hash, const std::string& weighting,
               bool l2, const Columns& known, bool open, bool may_lack, std::int64_t batch_rows,
               std::int64_t batch_entries, std::size_t max_line, bool skip, std::int64_t max_errors,
               std::size_t max_names) {
                text::Settings s;
                s.max_features = std::min<std::uint64_t>(max_features, std::uint64_t{1} << 31);
                s.bits = checked_bits(bits, format == "svmlight" ? 0 : 1);
                s.hash = hash_named(hash);
                s.older = older;
                s.zero_based = zero_based;
                s.multilabel = multilabel;
                s.labelled = labelled == "always"  ? text::Labelled::always
                             : labelled == "never" ? text::Labelled::never
                                                   : text::Labelled::as_found;
                s.label_field = label;
                s.weight_field = weight;
                s.tag_field = tag;
                s.text_fields = std::move(text_fields);
                s.numeric_fields = std::move(numeric);
                s.categorical_fields = std::move(categorical);
                s.ignored_fields = std::move(ignored);
                s.missing = std::move(missing);
                if (delimiter.size() != 1) throw nb::value_error("delimiter must be one ASCII character");
                s.delimiter = delimiter[0];
                s.text = text_settings(bits == 0 ? 20 : bits, analyzer, ngram_min, ngram_max, lowercase,
                                       text_hash, weighting, l2);
                s.max_line = std::max(max_line, text::kLeastMaxLine);
                s.known = known_columns(known, open, may_lack);
                new (self)
                    ReaderHandle(format, s, max_names, {batch_rows, batch_entries}, {skip, max_errors});
            },
            nb::arg("format"), nb::kw_only(), nb::arg("max_features"), nb::arg("hash"), nb::arg("older"),
            nb::arg("bits"), nb::arg("zero_based"), nb::arg("multilabel"), nb::arg("labelled"),
            nb::arg("label"), nb::arg("weight"), nb::arg("tag"), nb::arg("text_fields"), nb::arg("numeric"),
            nb::arg("categorical"), nb::arg("ignored"), nb::arg("missing"), nb::arg("delimiter"),
            nb::arg("analyzer"), nb::arg("ngram_min"), nb::arg("ngram_max"), nb::arg("lowercase"),
            nb::arg("text_hash"), nb::arg("weighting"), nb::arg("l2"), nb::arg("known"), nb::arg("open"),
            nb::arg("may_lack"), nb::arg("batch_rows"), nb::arg("batch_entries"), nb::arg("max_line"),
            nb::arg("skip"), nb::arg("max_errors"), nb::arg("max_names"))
        .def("room", &ReaderHandle::room, nb::arg("bytes"),
             nb::sig("def room(self, bytes: int) -> memoryview"),
             "A buffer to read into; valid until the next call of any method.")
        .def("commit", &ReaderHandle::commit, nb::arg("bytes"), "Say how much of the room was filled.")
        .def("feed", &ReaderHandle::feed, nb::arg("block"), "Give a block of bytes.")
        .def("finish", &ReaderHandle::finish, "Say that the file has ended.")
        .def("start_file", &ReaderHandle::start_file, "Say that another file begins.")
        .def("read", &ReaderHandle::read, "Read rows into the open batch, without the interpreter's lock.")
        .def_prop_ro("pending", &ReaderHandle::pending, "How many rows the open batch has.")
        .def("take", &ReaderHandle::take, "Hand over the open batch and open another.")
        .def("last_problem", [](const ReaderHandle& r) { return r.reader().last_problem(); })
        .def("problems", [](const ReaderHandle& r) { return r.reader().problems(); })
        .def_prop_ro("problem_count", [](const ReaderHandle& r) { return r.reader().problem_count(); })
        .def_prop_ro("line", [](const ReaderHandle& r) { return r.reader().line(); })
        .def(
            "label_texts",
            [](const ReaderHandle& r, std::size_t first) {
                const std::vector<std::string>& texts = r.tables().labels.texts();
                return std::vector<std::string>(
                    texts.begin() + static_cast<std::ptrdiff_t>(std::min(first, texts.size())), texts.end());
            },
            nb::arg("first") = 0)
        .def(
            "names", [](ReaderHandle& r) { return name_list(r.names()); }, nb::sig(kNamesSignature))
        .def_prop_ro("names_full", [](ReaderHandle& r) { return r.names().full(); })
        .def("schema", [](const ReaderHandle& r) { return r.format().schema(); })
        .def_prop_ro("open", [](const ReaderHandle& r) { return r.format().open(); })
        .def(
            "notes",
            [](const ReaderHandle& r, std::size_t first) {
                static constexpr const char* words[] = {"guess", "doubt", "unknown"};
                nb::list all;
                const std::vector<text::Note>& notes = r.format().notes();
                for (std::size_t i = first; i < notes.size(); ++i)
                    all.append(nb::make_tuple(notes[i].line, words[static_cast<int>(notes[i].about)],
                                              shown_text(notes[i].column), shown_text(notes[i].cell)));
                return all;
            },
            nb::arg("first") = 0,
            nb::sig("def notes(self, first: int = 0) -> list[tuple[int, str, str, str]]"),
            "What there was to say of columns: the line, what about, the column, the cell.");
}

}  // namespace onlinear::bindings
