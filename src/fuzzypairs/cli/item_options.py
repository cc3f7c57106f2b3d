"""Options of commands that take pictures, texts and embeddings."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fuzzypairs.items.source import ItemOptions

__all__ = [
    "Cache",
    "Embedding",
    "EmbeddingFile",
    "FeatureOption",
    "Features",
    "Image",
    "ImageFolder",
    "Show",
    "Strict",
    "Text",
    "With",
    "item_options",
]

of_items = partial(typer.Option, rich_help_panel="Pictures, texts and embeddings")

Text = Annotated[
    str | None,
    of_items("--text", help="The column of texts to cluster.", metavar="COL"),
]
Image = Annotated[
    str | None,
    of_items("--image", help="The column of names of picture files.", metavar="COL"),
]
ImageFolder = Annotated[
    Path | None,
    of_items(
        "--images",
        help="The folder of the pictures; that of DATA if left out.",
        metavar="DIR",
    ),
]
Embedding = Annotated[
    str | None,
    of_items("--embedding", help="The column of lists of numbers.", metavar="COL"),
]
EmbeddingFile = Annotated[
    Path | None,
    of_items(
        "--embeddings",
        help="Embeddings of the rows: .npy in their order, or .npz with their ids.",
        metavar="FILE",
    ),
]
With = Annotated[
    list[str] | None,
    of_items(
        "--with",
        help="A column to cluster by beside the items; may be repeated. Other columns "
        "are shown.",
        metavar="COL",
    ),
]
Show = Annotated[
    list[str] | None,
    of_items(
        "--show",
        help="A column to show and not to cluster by; may be repeated.",
        metavar="COL",
    ),
]
Features = Annotated[
    str,
    of_items(
        "--features",
        help="How items are compared. Texts: wordllama, tfidf, "
        "sentence-transformers:NAME. Pictures: gradients, pixels, onnx:FILE. Either: "
        "python:MODULE.FUNCTION.",
        metavar="NAME",
    ),
]
FeatureOption = Annotated[
    list[str] | None,
    of_items(
        "--feature-option",
        help="Of onnx:FILE: size, mean, std or output; may be repeated.",
        metavar="NAME=VALUE",
    ),
]
Cache = Annotated[
    Path | None,
    of_items(
        "--cache",
        help="Keep what is computed of each item in this file, for the next time.",
        metavar="FILE",
    ),
]
Strict = Annotated[
    bool, of_items("--strict", help="Stop at an item that cannot be read.")
]


def item_options(given: Mapping[str, Any]) -> "ItemOptions":
    """Return the options above, by the names of their parameters; None is not given."""
    from fuzzypairs.items.source import ItemOptions

    names = ("text", "image", "images", "embedding", "embeddings", "features", "cache")
    told = {name: given[name] for name in names if given.get(name) is not None}
    options = {}
    for text in given.get("feature_options") or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise ValueError(
                f"--feature-option is {text!r}: expected such as size=224 or "
                "mean=0.5,0.5,0.5"
            )
        options[name] = value
    return ItemOptions(
        **told,
        beside=tuple(given.get("beside") or ()),
        show=tuple(given.get("show") or ()),
        feature_options=options,
        strict=bool(given.get("strict")),
    )
