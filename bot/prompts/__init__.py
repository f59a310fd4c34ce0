"""The prompts: one text file each, their placeholders checked when they are loaded."""

from importlib.resources import files
from string import Formatter

from ingest.errors import SettingsError


def load(name: str, *placeholders: str) -> str:
    """The prompt of that name, to be filled with `str.format` when it has placeholders.

    Raises:
        SettingsError: the file is missing, or holds other placeholders than those named.
    """
    try:
        text = files(__name__).joinpath(f"{name}.txt").read_text("utf-8").strip()
        found = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
    except (OSError, ValueError) as error:
        raise SettingsError(f"the prompt {name!r} cannot be read: {error}") from error
    if found != set(placeholders):
        wanted = ", ".join(sorted(placeholders)) or "none"
        held = ", ".join(sorted(found)) or "none"
        raise SettingsError(f"the prompt {name!r} should hold the placeholders {wanted}: {held}")
    return text
