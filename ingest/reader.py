"""Documents read in a child process, within a limit of time and one of memory."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from hashlib import sha256
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from ingest.counting import CountTokens
from ingest.errors import DocumentError, ReaderError
from ingest.messages import READY, Exhausted, Hello, Job, Reading, Refused, Reply
from ingest.settings import IngestSettings

BEAT_S = 0.1  # between two looks whether the pass was told to stop
MAX_REMEMBERED = 10_000  # documents that met a limit
START_S = 60.0
LARGE_BYTES = 1_000_000  # after a document of this size the child's memory is given back
SECRETS = ("SLACK_", "ANTHROPIC_")
PACKAGE = Path(__file__).resolve().parents[1]


class Reader:
    """Hands documents to a child process, which it starts when needed and keeps.

    A document that meets a limit is remembered by its content, and not tried again by this object:
    each try costs the whole limit. Any thread may call; one document is read at a time.
    """

    def __init__(self, settings: IngestSettings) -> None:
        self._seconds = settings.parse_timeout_s
        self._megabytes = settings.parse_memory_mb
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._met: dict[bytes, str] = {}

    def read(
        self, job: Job, count_tokens: CountTokens, beat: Callable[[], None] = lambda: None
    ) -> Reading:
        """Parse and divide a document.

        Args:
            job: the document.
            count_tokens: see `ingest.chunk.chunk`; sent to the child.
            beat: called again and again meanwhile; what it raises ends the reading.

        Raises:
            DocumentError: it cannot be taken in; a limit that it met is named.
            ReaderError: the child cannot be started.
        """
        key = sha256(job.read_as.encode() + b"\0" + job.data).digest()
        with self._lock:
            if met := self._met.get(key):
                raise DocumentError(met)
            reply = self._ask(job, count_tokens, beat)
            if isinstance(reply, Reading):
                return reply
            if isinstance(reply, Refused):
                raise DocumentError(reply.error)
            if len(self._met) < MAX_REMEMBERED:
                self._met[key] = reply
        raise DocumentError(reply)

    def close(self) -> None:
        """End the child; the next document starts another."""
        with self._lock:
            self._end()

    def _ask(
        self, job: Job, count_tokens: CountTokens, beat: Callable[[], None]
    ) -> Reading | Refused | str:
        """What came of it; a text when a limit was met."""
        child = self._started(count_tokens)
        try:
            reply = child.answer(job, self._seconds, beat)
        except (EOFError, OSError):
            self._end()
            return Refused(
                "Reading it ended the process that reads documents, as too large a need of memory"
                " does: split it (limit: FOOTNOTE_PARSE_MEMORY_MB)."
            )
        except BaseException:
            self._end()
            raise
        if reply is None:
            self._end()
            return (
                f"Reading it took more than {self._seconds:g} s: look for a very long line or"
                " table in it, split it, or raise FOOTNOTE_PARSE_TIMEOUT_S."
            )
        if isinstance(reply, Exhausted):
            self._end()
            return (
                f"Reading it took more than {self._megabytes} MB of memory: split it, or raise"
                " FOOTNOTE_PARSE_MEMORY_MB."
            )
        if len(job.data) > LARGE_BYTES:
            self._end()
        return reply

    def _started(self, count_tokens: CountTokens) -> "_Child":
        child = self._child
        if child is not None and child.is_fit(count_tokens):
            return child
        self._end()
        self._child = _Child(count_tokens, self._megabytes)
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    def __init__(self, count_tokens: CountTokens, megabytes: int) -> None:
        self._count_tokens = count_tokens
        self._late = threading.Event()
        self.connection, theirs = Pipe()
        with theirs:
            self._process = _start(theirs)
        try:
            self.connection.send(Hello(count_tokens, megabytes * 1_000_000))
            ready = self.connection.poll(START_S) and self.connection.recv() == READY
        except (EOFError, OSError):
            ready = False
        if not ready:
            self.end()
            code = self._process.returncode
            raise ReaderError(
                f"The process that reads documents cannot be started (exit code {code}): see"
                f" whether `{sys.executable} -m ingest.worker 0` says why, and whether the machine"
                " has memory left."
            )

    def is_fit(self, count_tokens: CountTokens) -> bool:
        """Whether it lives and counts this way."""
        alive = not self._late.is_set() and self._process.poll() is None
        return alive and self._count_tokens is count_tokens

    def answer(self, job: Job, seconds: float, beat: Callable[[], None]) -> Reply | None:
        """Hand over a document and wait for what comes of it; None when it does not come in time.

        Raises:
            EOFError, OSError: the process ended by itself.
        """
        timer = threading.Timer(seconds, self._give_up)  # ends a send or recv that hangs, too
        timer.daemon = True
        timer.start()
        try:
            self.connection.send(job)
            while not self.connection.poll(BEAT_S):
                beat()
            reply: Reply = self.connection.recv()
        except (EOFError, OSError):
            if not self._late.is_set():
                raise
            return None
        else:
            return reply
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._late.set()
        self._process.kill()

    def end(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None  # noqa: S101 - opened below
        self._process.stdin.close()


def _start(theirs: Connection) -> "subprocess.Popen[bytes]":
    """Start a child that can import what this process can, out of reach of the terminal's Ctrl-C.

    A new interpreter, not a fork: other threads of this process may hold any lock now.
    """
    paths = (str(PACKAGE), *filter(None, sys.path))
    own = {name: value for name, value in os.environ.items() if not name.startswith(SECRETS)}
    own |= {"PYTHONPATH": os.pathsep.join(paths), "TOKENIZERS_PARALLELISM": "false"}
    return subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", "ingest.worker", str(theirs.fileno())],
        env=own,
        pass_fds=[theirs.fileno()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
