"""Sequence labelling: templates that make features, the model, and scores of what it found."""

from __future__ import annotations

from .spans import span_scores, spans, token_accuracy
from .templates import default_templates, template_features

__all__ = ["default_templates", "span_scores", "spans", "template_features", "token_accuracy"]
