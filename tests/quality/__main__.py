"""Record today's figures as those that later runs are held against."""

import asyncio

from bot.cli.figures import print_comparison, print_figures
from bot.evaluate.compare import compare
from bot.evaluate.figures import figures_of
from ingest.embed import Embedder
from ingest.settings import IngestSettings
from tests.quality.measured import RECORDED, measure, record, recorded

now = asyncio.run(measure(Embedder(IngestSettings(_env_file=None))))
print_figures(now.run, figures_of(now.run))
print(f"Verification agrees on {sum(now.agreed.values())} of {len(now.agreed)} sentences.")
if RECORDED.exists():
    print_comparison(compare(now.run, recorded().run))
record(now)
