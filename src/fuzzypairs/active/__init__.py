"""Which pair to ask next, so that few judgements have the largest effect."""

from fuzzypairs.active.inference import infer_pairs
from fuzzypairs.active.pool import Question
from fuzzypairs.active.progress import StopHint
from fuzzypairs.active.session import STRATEGIES, Session

__all__ = ["STRATEGIES", "Question", "Session", "StopHint", "infer_pairs"]
