"""Front matter to metadata."""

import re
from collections.abc import Mapping
from itertools import islice

import yaml

_PAIR = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]+(\S.*)")
MAX_VALUES, MAX_VALUE_CHARS = 200, 2000


def read(content: str) -> tuple[Mapping[str, str] | None, str]:
    """The metadata, and what is wrong with it (empty: nothing).

    Scalars as they are written, lists of scalars joined with commas; deeper values are left out.
    Broken YAML is read line by line: an unquoted colon in a title must not lose the title. None
    when it is no metadata at all but text between two rules.
    """
    try:
        # BaseLoader makes strings only (less than SafeLoader does): a date stays as written.
        loaded = yaml.load(content, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError) as error:
        pairs = [match for match in map(_PAIR.fullmatch, content.split("\n")) if match]
        values = {pair[1]: pair[2].strip().strip("'\"") for pair in pairs}
        wrong = f"front matter{_where(error)}; it was read line by line"
        return (_capped(values), wrong) if values else (None, "")
    if loaded is None:
        return {}, ""
    if not isinstance(loaded, dict):
        return None, ""
    flat = {str(key): _flat(value) for key, value in loaded.items()}
    return _capped({key: value for key, value in flat.items() if value is not None}), ""


def _capped(values: Mapping[str, str]) -> Mapping[str, str]:
    """As much as is worth keeping: it is read again at each question about the document."""
    some = islice(values.items(), MAX_VALUES)
    return {key[:MAX_VALUE_CHARS]: value[:MAX_VALUE_CHARS] for key, value in some}


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f", line {mark.line + 2}" if mark is not None else ""  # the first line is `---`
    return f"{line}: {getattr(error, 'problem', None) or 'cannot be read'}"


def _flat(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return None


def looks_unclosed(text: str) -> bool:
    """Whether a file opens front matter (a rule, then `key: value`) that nothing closes."""
    first, _, rest = text.partition("\n")
    return first.rstrip() == "---" and _PAIR.fullmatch(rest.partition("\n")[0].rstrip()) is not None
