"""Labels that are text: what may stand in them, in every format."""

from __future__ import annotations

import io
import json

import pytest

from onlinear.exceptions import ReadError
from onlinear.io import read


def data_with(label: str, format: str) -> bytes:
    """Two rows, the second with this label."""
    if format == "jsonl":
        return "".join(json.dumps({"label": one, "a": 1}) + "\n" for one in ("good", label)).encode()
    if format == "csv":
        return f'label,a\ngood,1\n"{label}",1\n'.encode()
    return (
        f"good |f a:1\n{label} |f a:1\n".encode() if format == "vw" else f"good 1:1\n{label} 1:1\n".encode()
    )


FORMATS = ["svmlight", "csv", "jsonl", "vw"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("control", ["\x01", "\x07", "\x1b", "\x1f", "\x7f"], ids=ascii)
def test_control_characters_are_no_part_of_a_label(format: str, control: str) -> None:
    """They would be printed to terminals; the line is named. In svmlight files all up to the blank end a label."""
    reader = read(io.BytesIO(data_with(f"a{control}b", format)), format=format)
    ends = format == "svmlight" and control < " "
    what = "expected index:value" if ends else "expected a label, found .*Labels are numbers or UTF-8 text"
    with pytest.raises(ReadError, match=what) as error:
        for _ in reader:
            pass
    assert error.value.line == (3 if format == "csv" else 2)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("label", ["a!b", "naïve", "日本", "a~"])
def test_printable_text_is_a_label(format: str, label: str) -> None:
    """In any script."""
    (batch,) = read(io.BytesIO(data_with(label, format)), format=format)
    assert batch.y.tolist() == ["good", label]
