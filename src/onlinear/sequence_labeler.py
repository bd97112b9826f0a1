"""The earlier name of `onlinear.sequence`."""

from .sequence import (
    SequenceLabeler,
    default_templates,
    span_scores,
    spans,
    template_features,
    token_accuracy,
)

__all__ = [
    "SequenceLabeler",
    "default_templates",
    "span_scores",
    "spans",
    "template_features",
    "token_accuracy",
]
