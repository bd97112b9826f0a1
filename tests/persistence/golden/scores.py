"""The answers of a model file, worked out from the numbers in it alone, in plain NumPy.

Nothing of the library is used: this says what the numbers in a file mean.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

Array = Any


class File:
    """A model file as any reader of safetensors sees it."""

    def __init__(self, path: Path) -> None:
        with safe_open(path, "numpy") as file:
            self.content: dict[str, Any] = json.loads(file.metadata()["onlinear"])
            self.tensors: dict[str, Array] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.parameters = self.content["parameters"]
        self.scalars = self.content.get("scalars", {})

    def plane(self, name: str) -> Array:
        """The numbers of a state, (blocks, 1 + features): the intercept is first."""
        given, touched = self.tensors[name].astype(float), self.content.get("touched")
        if touched is None:
            return given
        slots, blocks = self.content["n_features"] + 1, touched["blocks"]
        bits = np.unpackbits(self.tensors["touched"], bitorder="little")[: slots * blocks].astype(bool)
        whole = np.full(slots * blocks, float(touched["start"][name]))
        whole[bits] = given[0]
        return whole.reshape(slots, blocks).T

    # ------------------------------------------------------------------ weights

    def weights(self) -> Array:
        """The weights that predict, (blocks, 1 + features), whatever the state keeps them as."""
        if "weights.value" in self.tensors:
            return self._compact()
        if "theta" in self.tensors:
            return self.plane("theta") / self.plane("precision")
        if "gradient" in self.tensors:
            u, p = self.plane("gradient"), self.parameters
            beyond = np.maximum(0, np.abs(u) - p["lam"] * self.scalars["rounds"])
            return -p["eta"] * np.sign(u) * beyond / (p["delta0"] + np.sqrt(self.plane("squares")))
        mean, s = self.plane("mean"), self.scalars
        if "shift" in s:
            if "average" not in self.tensors:
                return np.sign(mean) * np.maximum(0, np.abs(mean) - s["shift"])
            total = self.plane("average") + s["average_rounds"] * mean - s["average_shifts"] * np.sign(mean)
            return total / s["average_rounds"]
        if "average" in self.tensors:
            return (s["average_scales"] * mean + self.plane("average")) / s["average_rounds"]
        return s.get("scale", 1.0) * mean

    def _compact(self) -> Array:
        value, how = self.tensors["weights.value"].astype(float), self.content["compact"]
        out = np.zeros((len(value), 1 + self.content["n_features"]))
        out[:, 0] = self.tensors["weights.intercept"]
        columns = self.tensors["weights.column"] if how["sparse"] else np.arange(value.shape[1])
        out[:, 1 + columns] = value / how["scale"]
        return out

    # ------------------------------------------------------------------ rows

    def matrix(self, rows: list[Any]) -> Array:
        """Rows, or dicts of features, as a matrix whose first column is 1."""
        out = np.zeros((len(rows), 1 + self.content["n_features"]))
        out[:, 0] = 1
        for i, row in enumerate(rows):
            if isinstance(row, dict):
                for word, value in row.items():
                    out[i, 1 + self.columns()[word]] += value
            else:
                out[i, 1:] = row
        return out

    def columns(self) -> dict[str, int]:
        """The columns of features with names, or of words that are hashed."""
        if self.content["feature_names"] is not None:
            return {name: column for column, name in enumerate(self.content["feature_names"])}
        text, ends = self.tensors["words.bytes"].tobytes(), self.tensors["words.end"].tolist()
        words = [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]
        return dict(zip(words, self.tensors["words.column"].tolist(), strict=True))

    def blocks(self, rows: list[Any]) -> Array:
        """The scores of rows, (rows, blocks)."""
        X = self.matrix(rows)
        if "support" in self.tensors:
            return self._kernel(X)
        if self.content["estimator"] == "PassiveAggressiveOneClass":
            return np.linalg.norm(X[:, 1:] - self.weights()[:, 1:], axis=1)[:, None]
        if self.parameters.get("form") == "own":
            return self._inclusive(X)
        return X @ self.weights().T

    def _kernel(self, X: Array) -> Array:
        """sum_p nu_p K(x_p, x) over the examples that were kept; the first slot is the intercept's."""
        p, nu = self.parameters, self.tensors["nu"]
        points = np.zeros((len(nu), X.shape[1]))
        for point, slot, value in self.tensors["support"]:
            points[int(point), int(slot)] = value
        inner = X[:, 1:] @ points[:, 1:].T
        match p["kernel"]:
            case "linear":
                similar = inner
            case "poly":
                similar = (p["coef0"] + inner) ** p["degree"]
            case _:
                away = ((X[:, None, 1:] - points[None, :, 1:]) ** 2).sum(axis=2)
                similar = np.exp(-self.scalars["gamma"] * away)
        if p.get("fit_intercept", False):
            similar = similar + 1
        return self.scalars["scale"] * similar @ nu

    def _inclusive(self, X: Array) -> Array:
        """The second-order perceptron's own form: a row is scored as if it had been met before."""
        if "theta" in self.tensors:
            precision = self.plane("precision") + X[:, None, :] ** 2
            return (X[:, None, :] * self.plane("theta") / precision).sum(axis=2)
        variance = ((X @ self.tensors["covariance_root"].astype(float).T) ** 2).sum(axis=1)
        return X @ self.plane("mean").T / (1 + variance)[:, None]

    # ------------------------------------------------------------------ answers

    def answers(self, rows: list[Any]) -> dict[str, Any]:
        """Scores in the order of sorted classes, probabilities and predictions, as lists."""
        blocks, classes = self.blocks(rows), self.content["classes"]
        if not classes:
            return {"scores": blocks[:, 0].tolist()}
        order = sorted(range(len(classes)), key=lambda number: classes[number])
        names = [classes[number] for number in order]
        if self.content["estimator"] == "MultilabelRanker":
            return {"scores": blocks[:, order].tolist(), "classes": names}
        scale, offset, *_, square, centre = [*self.content["vectors"]["calibration"], 0.0][:8]
        size = np.sqrt(square) if square > 0 else 1.0
        if blocks.shape[1] == 1:
            z = blocks[:, 0]
            chance = 1 / (1 + np.exp(-(scale * (z - centre) / size + offset)))
            # A probability never speaks against the prediction, which is the sign of the score.
            chance = np.where(z >= 0, np.maximum(chance, 0.5), np.minimum(chance, 0.5))
            both = np.stack([1 - chance, chance], axis=1)[:, order]
            scores = z if order == [0, 1] else -z
            best = (scores >= 0).astype(int)
        else:
            power = np.exp(scale * (blocks - blocks.max(axis=1, keepdims=True)) / size)
            both = (power / power.sum(axis=1, keepdims=True))[:, order]
            scores = blocks[:, order]
            best = scores.argmax(axis=1)
        return {
            "scores": scores.tolist(),
            "probabilities": both.tolist(),
            "predicted": [names[number] for number in best],
            "classes": names,
        }

    def labels(self, sequences: list[list[dict[str, float]]]) -> list[list[str]]:
        """The best labels of each sequence: all of them are tried."""
        weights, classes = self.weights(), self.content["classes"]
        slots = self.tensors["label_slots"]
        text, starts = self.tensors["names"].tobytes(), self.tensors["name_starts"].tolist()
        words = [text[a:b].decode() for a, b in zip(starts, starts[1:], strict=False)]
        column = dict(zip(words, self.tensors["column_slots"].tolist(), strict=True))

        def worth(tokens: list[dict[str, float]], path: tuple[int, ...]) -> float:
            total = sum(
                weights[label, column[word]] * value
                for token, label in zip(tokens, path, strict=True)
                for word, value in token.items()
                if word in column
            )
            return float(total + sum(weights[b, slots[a]] for a, b in zip(path, path[1:], strict=False)))

        out = []
        for tokens in sequences:
            paths = list(product(range(len(classes)), repeat=len(tokens)))
            best = max(paths, key=lambda path: worth(tokens, path))
            out.append([classes[label] for label in best])
        return out
