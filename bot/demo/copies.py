"""A copy of the sample handbook that may be edited."""

import hashlib
import json
from pathlib import Path

HANDBOOK = Path(__file__).parent / "handbook"
ORIGIN = "handbook.json"  # beside the copy: the hash of each page as it was laid out


def lay_out(target: Path, handbook: Path = HANDBOOK) -> None:
    """Bring the copy up to date: pages that nobody touched follow the handbook.

    A page that was edited or deleted in the copy stays so; deleting the whole copy starts afresh.
    """
    note = target.parent / ORIGIN
    before = json.loads(note.read_text("utf-8")) if note.exists() and target.exists() else {}
    pages = {
        file.relative_to(handbook).as_posix(): file.read_bytes()
        for file in sorted(handbook.rglob("*"))
        if file.is_file()
    }
    for name, page in pages.items():
        copy = target / name
        if _hash_of(copy) == before.get(name):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(page)
    for name in before.keys() - pages.keys():
        if _hash_of(target / name) == before[name]:
            (target / name).unlink()
    note.write_text(json.dumps({name: _hash(page) for name, page in pages.items()}), "utf-8")


def _hash_of(file: Path) -> str | None:
    return _hash(file.read_bytes()) if file.exists() else None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
