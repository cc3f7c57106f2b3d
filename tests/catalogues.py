"""Catalogues of tables, as tests of labelling need them."""

from fuzzypairs.items import ItemSet
from fuzzypairs.labelling.catalogue import Catalogue


def open_catalogue(items, text=None):
    """All columns are shown; one may hold the texts that the rows are."""
    table = items.features
    if text is None:
        return Catalogue(items, table)
    media = ItemSet.from_texts(table[text].tolist(), items.ids)
    return Catalogue(items, table, media, text)
