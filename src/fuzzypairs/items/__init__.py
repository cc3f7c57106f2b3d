"""Pictures, texts and embeddings: how they are read, shown, and made into features."""

from fuzzypairs.items.item_features import ItemFeatures
from fuzzypairs.items.item_set import ItemSet
from fuzzypairs.items.showing import distinctive_words, shorten

__all__ = ["ItemFeatures", "ItemSet", "distinctive_words", "shorten"]
