"""Record today's figures as those that later runs are held against.

`--sentences` only prints how verification agrees with people; with `--eval FOLDER` on the judged
sentences of that folder, `--exact` without the rules over words, `--dropped` with each true
sentence that is dropped. `--conflicts --eval FOLDER` counts conflict lines on its public sets.
"""

import argparse
import asyncio
from pathlib import Path

from bot.cli.figures import print_comparison, print_figures
from bot.cli.shared import out
from bot.evaluate.compare import compare
from bot.evaluate.figures import figures_of
from ingest.embed import Embedder
from ingest.settings import IngestSettings
from tests.quality.agreement import print_agreement
from tests.quality.disagreements import print_disagreements
from tests.quality.measured import RECORDED, measure, record, recorded
from tests.quality.natural import print_natural

parser = argparse.ArgumentParser(prog="python -m tests.quality")
parser.add_argument("--sentences", action="store_true")
parser.add_argument("--conflicts", action="store_true")
parser.add_argument("--eval", type=Path)
parser.add_argument("--exact", action="store_true")
parser.add_argument("--dropped", action="store_true")
wanted = parser.parse_args()

if wanted.conflicts and not wanted.eval:
    parser.error("--conflicts needs --eval FOLDER")
if wanted.conflicts:
    print_disagreements(out, wanted.eval)
elif wanted.sentences and wanted.eval:
    print_natural(out, wanted.eval, exact=wanted.exact, every=wanted.dropped)
elif wanted.sentences:
    print_agreement(out)
else:
    now = asyncio.run(measure(Embedder(IngestSettings(_env_file=None))))
    print_figures(now.run, figures_of(now.run))
    print_agreement(out)
    if RECORDED.exists():
        print_comparison(compare(now.run, recorded().run))
    record(now)
