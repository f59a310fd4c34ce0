"""The real demo in a terminal of its own, as a person starts it."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.commands import environment

READY_S = 110
END_S = 30
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def settings_for(data: Path) -> dict[str, str]:
    # Several threads of a model wait for each other busily where others work too.
    return {"FOOTNOTE_DATA": str(data), "FOOTNOTE_THREADS": "1"}


class Demo:
    """Reads what the demo prints until it ends; `url` once it has said it."""

    def __init__(self, data: Path) -> None:
        self._own, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "demo", "--no-browser"],
            env=environment(settings_for(data)),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=data,
            start_new_session=True,
        )
        os.close(theirs)
        self.printed = ""
        self._ready = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def wait(self) -> str:
        """The page's address."""
        self._ready.wait(READY_S)
        found = ADDRESS.search(self.printed)
        assert found, self.printed[-2000:]
        return found[0]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(END_S)
        self._reading.join(END_S)
        os.close(self._own)
        return code

    def _read(self) -> None:
        try:
            while block := os.read(self._own, 4096):
                self.printed += block.decode(errors="replace")
                if "Ctrl-C ends" in self.printed:
                    self._ready.set()
        except OSError:
            pass  # Linux's way to say that the other end of a terminal is gone
        self._ready.set()


@contextmanager
def running_demo(data: Path) -> Iterator[Demo]:
    data.mkdir(parents=True, exist_ok=True)
    demo = Demo(data)
    try:
        demo.wait()
        yield demo
    finally:
        if demo.process.poll() is None:
            demo.stop()
