"""A line of the log is one line, whatever name stands in it."""

import logging
import sys

from ingest.printable import OneLineFormatter, clean


def test_a_name_with_a_line_end_forges_no_line_of_the_log() -> None:
    form = OneLineFormatter("%(levelname)s %(message)s")
    name = "a.md\n2026 CRITICAL all is lost\x1b[31m\u202e"
    record = logging.LogRecord("x", logging.WARNING, "", 0, "Not taken in: %s", (name,), None)
    assert (
        form.format(record)
        == "WARNING Not taken in: a.md\ufffd2026 CRITICAL all is lost\ufffd[31m\ufffd"
    )


def test_a_trace_stays_readable_and_none_of_its_lines_passes_for_a_message() -> None:
    try:
        raise ValueError("bad\nCRITICAL forged")  # noqa: TRY301
    except ValueError:
        told = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "", 0, "failed", (), told)
    first, *rest = OneLineFormatter("%(levelname)s %(message)s").format(record).split("\n")
    assert first == "ERROR failed"
    assert rest[0] == "  Traceback (most recent call last):"
    assert all(line.startswith("  ") for line in rest)


def test_no_mark_of_direction_and_no_invisible_tag_goes_out() -> None:
    marks = "\u202a\u202e\u2066\u2069\U000e0041"
    sent = clean({"blocks": [{"text": f"a{marks}b\nc"}], "n": 1})
    assert sent == {"blocks": [{"text": "a" + "\ufffd" * 5 + "b\nc"}], "n": 1}
