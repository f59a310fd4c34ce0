"""The real commands in processes of their own, with an environment made for one test."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HANDBOOK = ROOT / "bot" / "demo" / "handbook"
TIME_LIMIT_S = 100


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The machine's environment without settings of ours, and the given ones."""
    ours = ("FOOTNOTE_", "SLACK_", "ANTHROPIC_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**clean, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **settings}


def run(
    settings: Mapping[str, str], *arguments: str | bytes, stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run `python ARGUMENTS` to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment(settings),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )


def start(settings: Mapping[str, str], *arguments: str) -> "subprocess.Popen[str]":
    """Start `python ARGUMENTS`; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Wait for its end: exit code, stdout, stderr."""
    out, err = process.communicate(timeout=TIME_LIMIT_S)
    return process.returncode, out, err
