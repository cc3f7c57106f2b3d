"""Judgements from people: a store that loses none, and the page that asks for them."""
