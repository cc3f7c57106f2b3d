"""Which pair to ask next, so that few judgements have the largest effect."""

from fuzzypairs.active.pool import Question
from fuzzypairs.active.questions import STRATEGIES, Questions
from fuzzypairs.active.session import Session, StopHint

__all__ = ["STRATEGIES", "Question", "Questions", "Session", "StopHint"]
