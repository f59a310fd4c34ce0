"""Prints the licence of each installed package; exit code 1 when one is not permissive."""

import re
import sys
from importlib.metadata import Distribution, distributions

# MPL binds who changes its files, not who uses them.
PERMISSIVE = re.compile(
    r"\b(?:MIT|Apache|BSD|0BSD|ISC|ISCL|PSF|Python Software Foundation|CNRI|Zlib|CC0|BSL-1\.0"
    r"|Unlicense|MPL|Mozilla)",
    re.IGNORECASE,
)
# What a CUDA build of torch brings along may be used and not passed on; the CPU build needs none.
CUDA = ("nvidia-", "cuda-")
OWN = "footnote-bot"


def licence_of(package: Distribution) -> str:
    """As its metadata state it; empty if they do not."""
    data = package.metadata
    named = data.get("License-Expression") or ""
    classes = [
        c.split(" :: ")[-1] for c in data.get_all("Classifier") or [] if "OSI Approved ::" in c
    ]
    text = (data.get("License") or "").strip().split("\n")[0][:80]
    return named or " AND ".join(classes) or text


def is_permissive(licence: str) -> bool:
    """Whether each part is, or one of its alternatives."""
    parts = re.split(r"\s+AND\s+", licence)
    return all(any(map(PERMISSIVE.search, re.split(r"\s+OR\s+", part))) for part in parts)


def main() -> int:
    """Print, and tell."""
    found = {p.name.lower(): licence_of(p) for p in distributions() if p.name != OWN}
    for name, licence in sorted(found.items()):
        print(f"{name:45} {licence or 'none stated'}")
    wrong = [n for n, lic in found.items() if not is_permissive(lic) and not n.startswith(CUDA)]
    if wrong:
        print(f"Not permissive: {', '.join(sorted(wrong))}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
