"""The earlier name of `onlinear.sequence`."""

from . import SequenceLabeler
from .sequence import default_templates, span_scores, spans, template_features, token_accuracy

__all__ = [
    "SequenceLabeler",
    "default_templates",
    "span_scores",
    "spans",
    "template_features",
    "token_accuracy",
]
