"""Options of commands that take pictures, texts and embeddings."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

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
    "item_arguments",
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


# Parameters of `analyse`, and of the commands, that are named alike.
NAMES = ("text", "image", "images", "embedding", "embeddings", "features", "cache")


def item_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options above as arguments of `analyse`; None is not given.

    Commands call the columns beside items `beside`.
    """
    told = {name: given[name] for name in NAMES if given.get(name) is not None}
    lists = {"with_": given.get("beside"), "show": given.get("show")}
    told |= {name: tuple(columns) for name, columns in lists.items() if columns}
    if given.get("strict"):
        told["strict"] = True
    options = {}
    for text in given.get("feature_options") or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise ValueError(
                f"--feature-option is {text!r}: expected such as size=224 or "
                "mean=0.5,0.5,0.5"
            )
        options[name] = value
    return told | ({"feature_options": options} if options else {})
