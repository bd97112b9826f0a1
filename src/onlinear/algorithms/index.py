"""Where the recipe of each estimator is: its module in this package and its name there.

Nothing is imported here, so that listing estimators costs nothing.
"""

__all__ = ["RECIPES"]

RECIPES = {
    "AROWClassifier": ("arow", "AROW"),
    "AROWRegressor": ("arow", "AROWRegression"),
    "AdaGradRDAClassifier": ("adagrad_rda", "AdaGradRDA"),
    "ConfidenceWeightedClassifier": ("confidence_weighted", "ConfidenceWeighted"),
    "IELLIPClassifier": ("iellip", "IELLIP"),
    "KernelClassifier": ("kernel", "KernelClassification"),
    "KernelRegressor": ("kernel", "KernelRegression"),
    "MIRAClassifier": ("mira", "MIRA"),
    "MultilabelRanker": ("ranking", "Ranking"),
    "NAROWClassifier": ("narow", "NAROW"),
    "NHERDClassifier": ("nherd", "NHERD"),
    "NORMAClassifier": ("norma", "NORMA"),
    "PassiveAggressiveClassifier": ("passive_aggressive", "PassiveAggressive"),
    "PassiveAggressiveOneClass": ("one_class", "OneClass"),
    "PassiveAggressiveRegressor": ("passive_aggressive", "PassiveAggressiveRegression"),
    "Perceptron": ("perceptron", "PerceptronRecipe"),
    "ROMMAClassifier": ("romma", "ROMMA"),
    "RegularizedPassiveAggressiveClassifier": (
        "regularized_passive_aggressive",
        "RegularizedPassiveAggressive",
    ),
    "SecondOrderPerceptron": ("second_order_perceptron", "SecondOrder"),
    "SequenceLabeler": ("sequence", "SequenceLabeling"),
    "SoftConfidenceWeightedClassifier": ("soft_confidence_weighted", "SoftConfidenceWeighted"),
}
