"""What a ranking is worth: evidence, from a fitted file for each reranker."""
