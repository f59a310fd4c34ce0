"""The child process that documents are parsed and divided in: `python -m ingest.worker FD`.

A regular expression or a parser that never ends holds the interpreter's lock, and no thread can
help; a process can be killed. It reads jobs from a pipe, has no files of its own, and imports
neither torch nor a database. Its standard input is never written to: that it closes, however the
parent ended, makes the kernel end this process at once.
"""

import fcntl
import os
import resource
import signal
import sys
from multiprocessing.connection import Connection

from ingest.chunk import chunk
from ingest.counting import CountTokens
from ingest.errors import DocumentError
from ingest.messages import READY, Exhausted, Hello, Job, Reading, Refused, Reply
from ingest.parse import parse

NICENESS = 5  # questions come first


def read(job: Job, count_tokens: CountTokens) -> Reading:
    """Parse and divide a document.

    Raises:
        DocumentError: it cannot be taken in.
    """
    parsed = parse(job.read_as, job.data)
    chunks = chunk(job.source, job.path, job.doc, parsed, count_tokens, job.sizes)
    return Reading(parsed.title, dict(parsed.metadata), parsed.warning, chunks)


def _answer(job: Job, count_tokens: CountTokens) -> Reply:
    try:
        return read(job, count_tokens)
    except DocumentError as error:
        return Refused(str(error))
    except MemoryError:
        return Exhausted()
    except RecursionError:
        return Refused("It is nested too deeply to be read: flatten its lists, quotes or values.")
    except Exception as error:  # noqa: BLE001 - whatever it is, the other documents go on
        return Refused(f"Reading it failed ({type(error).__name__}): take it apart to find where.")


def main() -> None:
    """Answer jobs until the parent is gone."""
    _end_with_parent()
    os.nice(NICENESS)
    with Connection(int(sys.argv[1])) as parent:
        try:
            hello: Hello = parent.recv()
            _limit_memory(hello.memory_bytes)
            parent.send(READY)
            while True:
                answer = _answer(parent.recv(), hello.count_tokens)
                parent.send(answer)
                if isinstance(answer, Exhausted):
                    return
        except (EOFError, OSError):
            return


def _end_with_parent() -> None:
    """Let the kernel send SIGIO, which ends a process, when standard input closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


def _limit_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or size < most:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


if __name__ == "__main__":
    main()
