from ingest.embed import Embedder
from ingest.settings import IngestSettings


def test_a_prompt_before_a_passage_leaves_less_room_for_the_passage(embedder: Embedder) -> None:
    prompted = Embedder(IngestSettings(_env_file=None, passage_prompt="passage: "))
    assert embedder.max_tokens == 256
    assert prompted.max_tokens == 256 - 2
