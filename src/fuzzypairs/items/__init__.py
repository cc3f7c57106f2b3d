"""Pictures, texts and embeddings: how they are read, shown, and made into features."""

from fuzzypairs.items.files import find_items, read_embeddings
from fuzzypairs.items.item_features import ItemFeatures
from fuzzypairs.items.pictures import open_picture, thumbnail
from fuzzypairs.items.showing import (
    distinctive_words,
    mixed_rows,
    shorten,
    typical_rows,
)

__all__ = [
    "ItemFeatures",
    "distinctive_words",
    "find_items",
    "mixed_rows",
    "open_picture",
    "read_embeddings",
    "shorten",
    "thumbnail",
    "typical_rows",
]
