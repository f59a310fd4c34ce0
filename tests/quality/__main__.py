"""Record today's figures as those that later runs are held against.

`--sentences` only prints how verification agrees with people, `--curve` what other limits of the
rule for what no passage says would keep and catch.
"""

import asyncio
import sys

from bot.cli.figures import print_comparison, print_figures
from bot.cli.shared import out
from bot.evaluate.compare import compare
from bot.evaluate.figures import figures_of
from ingest.embed import Embedder
from ingest.settings import IngestSettings
from tests.quality.agreement import print_agreement, print_curve
from tests.quality.measured import RECORDED, measure, record, recorded

if "--curve" in sys.argv:
    print_curve(out)
elif "--sentences" in sys.argv:
    print_agreement(out)
else:
    now = asyncio.run(measure(Embedder(IngestSettings(_env_file=None))))
    print_figures(now.run, figures_of(now.run))
    print_agreement(out)
    if RECORDED.exists():
        print_comparison(compare(now.run, recorded().run))
    record(now)
