"""Rules: the algorithms, from a demand's margin and variance to a step.

Each rule has parameters and no memory. ``rule.step(margin, variance)`` shows what it would do.

Examples
--------
>>> from onlinear import rule
>>> rule.Arow(r=1.0).step(margin=0.5, variance=1.0).mean
0.25
"""

from ._core.rule import (
    AdagradRda,
    Arow,
    ConfidenceWeighted,
    Iellip,
    LeastSquares,
    Narow,
    Nherd,
    Norma,
    PassiveAggressive,
    Perceptron,
    RegularizedPassiveAggressive,
    Romma,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
    Step,
    cdf,
    quantile,
)

__all__ = [
    "AdagradRda",
    "Arow",
    "ConfidenceWeighted",
    "Iellip",
    "LeastSquares",
    "Narow",
    "Nherd",
    "Norma",
    "PassiveAggressive",
    "Perceptron",
    "RegularizedPassiveAggressive",
    "Romma",
    "SecondOrderPerceptron",
    "SoftConfidenceWeighted",
    "Step",
    "cdf",
    "quantile",
]
