"""Every command and option, declared once.

typer draws the help, completes and explains wrong usage from this table (`_typer`), and `_quick` reads plain
command lines by it without importing typer, which takes longer than learning a small file.
"""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["COMMANDS", "SUMMARY", "Argument", "Command", "Option"]

Kind: TypeAlias = Literal["flag", "switch", "text", "whole", "number", "path", "texts"]

SUMMARY = (
    "Linear models that learn one example at a time, at the speed of the disk, and know how sure they are."
)


class Option(NamedTuple):
    """An option: the argument of the action it becomes, its spellings, and what it holds."""

    name: str
    spellings: tuple[str, ...]
    kind: Kind
    help: str
    default: object = None
    metavar: str | None = None


class Argument(NamedTuple):
    """A positional argument."""

    name: str
    metavar: str
    kind: Literal["text", "path", "texts"]
    help: str
    required: bool = True


class Command(NamedTuple):
    """A command: a module of `actions` with this name."""

    name: str
    help: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()


_FILES = Argument(
    "files",
    "FILE...",
    "texts",
    "Paths, globs, or - for standard input; plain, .gz, .zst, .bz2 or .xz.",
    required=False,
)
_MODEL = Argument("model", "MODEL", "path", "A model file.")
_QUIET = Option("quiet", ("--quiet", "-q"), "flag", "Say nothing but errors.", False)
_JSON = Option("as_json", ("--json",), "flag", "Print one JSON object at the end.", False)

_READING = (
    Option(
        "format",
        ("--format", "-f"),
        "text",
        "svmlight, vw, csv, tsv, jsonl, text, parquet or arrow; by default told by name or first line.",
        "auto",
    ),
    Option("zero_based", ("--zero-based",), "flag", "svmlight indices start at 0 and not at 1.", False),
    Option(
        "max_features", ("--max-features",), "whole", "Refuse an index past this; 2^28 unless said otherwise."
    ),
    Option("bits", ("--bits", "-b"), "whole", "Hash features to 2^BITS columns."),
    Option(
        "hash",
        ("--hash",),
        "text",
        "How names and words become columns: murmur, murmur-signed (each with the sign of its hash) or vw; by default "
        "vw for its own files, else murmur.",
    ),
    Option(
        "on_error", ("--on-error",), "text", "A line that cannot be read: stop, or skip and count it.", "stop"
    ),
    Option("max_errors", ("--max-errors",), "whole", "With --on-error skip: how many lines may be skipped."),
    Option("label", ("--label",), "text", "Column (CSV, Parquet) or key (JSON) with the label."),
    Option("weight", ("--weight",), "text", "Column or key with the example's weight."),
    Option("text", ("--text",), "texts", "Column or key that holds text; may be repeated."),
    Option(
        "categorical", ("--categorical",), "texts", "Column or key to take as a category; may be repeated."
    ),
    Option("ignore", ("--ignore",), "texts", "Column or key to leave out; may be repeated."),
    Option(
        "allow_missing",
        ("--allow-missing",),
        "flag",
        "Read rows without columns or texts that the model has learned from.",
        False,
    ),
    Option("missing", ("--missing",), "texts", "A cell that means no value, as nan; may be repeated."),
    Option(
        "delimiter",
        ("--delimiter",),
        "text",
        "What separates the cells of a CSV file: one of , ; | : or a tab.",
    ),
    Option(
        "max_line_bytes", ("--max-line-bytes",), "whole", "Refuse a longer line; 2^24 unless said otherwise."
    ),
    Option(
        "max_tokens",
        ("--max-tokens",),
        "whole",
        "Of sequences: refuse one of more tokens; 2^16 unless said otherwise.",
    ),
    Option(
        "analyzer",
        ("--analyzer",),
        "text",
        "How text is cut: word, char or char_wb (characters inside words).",
    ),
    Option("ngrams", ("--ngrams",), "text", "N-grams of the pieces, as 2 or 1-3."),
)

COMMANDS = (
    Command(
        "train",
        "Learn a model from files, one pass in the given order unless asked otherwise.\n\n"
        "Shows the progressive error, an honest estimate: every example is predicted before it is learned.",
        (_FILES,),
        (
            Option(
                "task",
                ("--task",),
                "text",
                "classification, regression, one-class, multilabel or sequence (CoNLL files).",
                "classification",
            ),
            Option(
                "algorithm",
                ("--algorithm", "-a"),
                "text",
                "Which one; 'onlinear algorithms' lists them. By default scw1, arow where the task is "
                "regression, and pa1 where it is one-class, multilabel or sequence.",
            ),
            Option(
                "cost_matrix",
                ("--cost-matrix",),
                "path",
                'What wrong answers cost: JSON {"right": {"answer": cost}}, or a table with the answers above '
                "and the right classes on the left.",
                None,
                "FILE",
            ),
            Option(
                "template",
                ("--template",),
                "texts",
                "With --task sequence: a feature to make of each token, as 'w[-1]|w[0]' or 'w[0].suffix3'; may be "
                "repeated. By default windows of the words and tags, shapes and affixes.",
            ),
            Option(
                "parameter",
                ("--parameter", "-p"),
                "texts",
                "A parameter of the algorithm.",
                None,
                "NAME=VALUE",
            ),
            Option(
                "scale",
                ("--scale",),
                "text",
                "'max' divides every feature by the largest value it has come with so far, 'typical' by its "
                "typical size, which no single row decides, and with regression the targets, too, so that units do "
                "not matter; rows of unit length stay as they are. 'none' divides nothing. By default what suits the algorithm.",
                None,
                "auto|typical|max|none",
            ),
            Option(
                "center",
                ("--center",),
                "flag",
                "Take the running mean of every feature from it before it is learned: for dense columns far from zero. "
                "At most 65536 features.",
                False,
            ),
            Option("passes", ("--passes",), "whole", "Times to go over the data.", 1),
            Option("save", ("--save", "-o"), "path", "Where to write the model (.safetensors)."),
            Option("test", ("--test",), "texts", "Labelled data to test the model on; may be repeated."),
            Option(
                "holdout", ("--holdout",), "number", "Share of the examples to predict and never learn.", 0.0
            ),
            Option(
                "early_stop",
                ("--early-stop",),
                "flag",
                "End when a pass brings no better error (held-out, else progressive).",
                False,
            ),
            Option("patience", ("--patience",), "whole", "Passes without gain before --early-stop ends.", 1),
            Option(
                "shuffle",
                ("--shuffle",),
                "flag",
                "Learn the rows in another order, mixed over as many as --buffer says; for files sorted by class or time.",
                False,
            ),
            Option("buffer", ("--buffer",), "whole", "With --shuffle: rows in memory.", 100_000, "ROWS"),
            Option(
                "watch",
                ("--watch",),
                "text",
                "Put one of river's drift detectors beside the model: when its error rises, the covariance goes back "
                "to its start.",
                None,
                "adwin|page_hinkley|kswin",
            ),
            Option(
                "seed", ("--seed",), "whole", "Chooses the held-out examples, and the order of --shuffle.", 0
            ),
            Option("dtype", ("--dtype",), "text", "Type of the weights: float32 or float64.", "float32"),
            Option(
                "checkpoint", ("--checkpoint",), "path", "Keep a checkpoint of the run here.", None, "DIR"
            ),
            Option("every", ("--every",), "whole", "Examples between checkpoints.", 100_000, "N"),
            Option("resume", ("--resume",), "flag", "Go on from the checkpoint, if there is one.", False),
            Option(
                "names",
                ("--names",),
                "whole",
                "Names of hashed features to keep; by default 16384, but none of svmlight and vw.",
            ),
            *_READING,
            _QUIET,
            _JSON,
        ),
        (
            "onlinear train news.svm.gz --save news.safetensors",
            "onlinear train 'part-*.jsonl.zst' -a scw1 -p C=1 -p confidence=0.9 --passes 2 --test test.jsonl",
            "zcat log.vw.gz | onlinear train - --format vw --bits 22 --save model.safetensors",
            "onlinear train big.svm --checkpoint run/ --every 100000 --resume --save model.safetensors",
            "onlinear train houses.svm --task regression -p r=1 --save houses.safetensors",
            "onlinear train chunks.conll --task sequence --passes 10 --test test.conll --save chunks.safetensors",
        ),
    ),
    Command(
        "predict",
        "Predict: one label per line, more columns when asked. Reads standard input when no file is named.\n\n"
        "A regressor writes a number, a one-class model 1 or -1, a ranker labels between commas; a model of "
        "sequences writes the CoNLL file with one more column.",
        (_MODEL, _FILES),
        (
            Option("output", ("--output", "-o"), "path", "Write here, not to standard output."),
            Option(
                "scores", ("--scores",), "flag", "Add the linear score (one per class for several).", False
            ),
            Option("proba", ("--proba",), "flag", "Add the probability of every class.", False),
            Option("std", ("--std",), "flag", "Add the standard deviation of the margin.", False),
            Option("top", ("--top",), "whole", "Write so many labels a row, the best first, of a ranker."),
            Option("header", ("--header",), "flag", "Write the names of the columns first.", False),
            *_READING,
            _QUIET,
        ),
        (
            "onlinear predict model.safetensors new.svm > labels.txt",
            "zcat new.svm.gz | onlinear predict model.safetensors --proba --std",
        ),
    ),
    Command(
        "evaluate",
        "Test a model on labelled data: error, confusion matrix, F1 by class, calibration, ROC and PR; for other "
        "tasks what they are measured by.",
        (_MODEL, _FILES),
        (
            Option(
                "plots",
                ("--plots",),
                "path",
                "Draw ROC, precision-recall and calibration (.png, .svg, .pdf).",
            ),
            *_READING,
            _JSON,
        ),
        (
            "onlinear evaluate model.safetensors test.svm",
            "onlinear evaluate model.safetensors test.jsonl.zst --plots curves.png --json",
        ),
    ),
    Command(
        "inspect",
        "Look into a model: strongest weights with their standard deviation, sparsity, histogram.",
        (_MODEL,),
        (
            Option("top", ("--top",), "whole", "Weights to list for each class.", 20),
            Option("label", ("--class",), "text", "List the weights of this class alone."),
            Option("html", ("--html",), "path", "Write a page with pictures here."),
            _JSON,
        ),
        (
            "onlinear inspect model.safetensors --top 30",
            "onlinear inspect model.safetensors --class sport --html report.html",
        ),
    ),
    Command(
        "convert",
        "Convert a model to another type or a compact one for serving, or data from any format to another.",
        (
            Argument("source", "SOURCE", "text", "A model file, or data."),
            Argument("target", "TARGET", "path", "What to write."),
        ),
        (
            Option(
                "compact",
                ("--compact",),
                "flag",
                "Keep only what predicting needs: small weights, no variances.",
                False,
            ),
            Option(
                "dtype",
                ("--dtype",),
                "text",
                "Type of a model's weights: float16 (compact), float32 or float64.",
            ),
            Option(
                "sparse",
                ("--sparse", "--dense"),
                "switch",
                "Keep only weights that are not zero; by default if smaller.",
            ),
            Option(
                "to",
                ("--to",),
                "text",
                "Format of the data to write: svmlight, vw, jsonl, csv, tsv, parquet or arrow; by default told "
                "by the name.",
            ),
            *_READING,
            _JSON,
            _QUIET,
        ),
        (
            "onlinear convert model.safetensors small.safetensors --compact",
            "onlinear convert data.jsonl.zst data.svm.gz --bits 20",
            "onlinear convert table.csv table.parquet",
        ),
    ),
    Command(
        "algorithms",
        "List the algorithms with paper, parameters and advice.",
        (Argument("name", "NAME", "text", "Tell about this one.", required=False),),
        (_JSON,),
        ("onlinear algorithms scw1",),
    ),
    Command(
        "demo",
        "Learn the docstrings of the installed packages as a stream, and show what can be asked of the model.",
        (),
        (
            Option(
                "output",
                ("--output", "-o"),
                "path",
                "Folder for the plot and the model; demo-output unless said otherwise.",
            ),
            Option("limit", ("--limit",), "whole", "Learn only the first so many docstrings."),
        ),
        ("onlinear demo --output demo-output",),
    ),
)
