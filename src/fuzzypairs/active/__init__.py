"""Which pair to ask next, so that few judgements have the largest effect."""

from fuzzypairs.active.inference import infer_pairs
from fuzzypairs.active.pool import Question
from fuzzypairs.active.progress import StopHint
from fuzzypairs.active.questions import STRATEGIES, Questions
from fuzzypairs.active.session import Session

__all__ = ["STRATEGIES", "Question", "Questions", "Session", "StopHint", "infer_pairs"]
