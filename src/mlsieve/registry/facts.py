"""The facts of registered objects beside their parameters, one dataclass a kind: a misspelt fact is an error.

A decorator's keyword arguments are the fields: ``@register.ranker("id", tasks=("mlc",), doi="10.1000/xyz")``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mlsieve.errors import did_you_mean
from mlsieve.registry.parameters import accepted_values, accepts, hints_of, schema_of

Task = Literal["mlc", "hmlc"]
DEFAULT_SCORE, DEFAULT_TREES = "genie3", 100


@dataclass(frozen=True)
class Score:
    """One way to score features by a grown ensemble.

    Attributes
    ----------
    read : callable
        Function of an ensemble, of numbers of trees and, by name, of the score's own parameters, that returns
        an ndarray of float64, shape (numbers, F).
    out_of_bag : bool
        Whether it reads statistics of out-of-bag examples, which are gathered while the trees grow.
    """

    read: Callable[..., Any]
    out_of_bag: bool = False


@dataclass(frozen=True, kw_only=True)
class MethodFacts:
    """Facts that rankers, evaluators and chains share.

    Attributes
    ----------
    tasks : tuple of {"mlc", "hmlc"}
        Labels without and with a hierarchy.
    doi : str
        Of the method's paper; empty: it has none.
    smoke : mapping
        Parameters with which the contract tests run the method in under a second.
    estimator : str
        ``module:Class`` of the scikit-learn estimator, where the target is a function or a plain class that
        needs no scikit-learn; empty: the target is the estimator.
    not_configurable : collection of str
        Parameters that no configuration sets.
    cuts_if : callable
        Function of the parameters that returns whether the method cuts numeric features, as its parameter
        ``discretize`` says.
    """

    tasks: tuple[Task, ...] = ("mlc",)
    doi: str = ""
    smoke: Mapping[str, Any] = field(default_factory=dict)
    estimator: str = ""
    not_configurable: Collection[str] = ()
    cuts_if: Callable[[Mapping[str, Any]], bool] = lambda parameters: True


@dataclass(frozen=True, kw_only=True)
class RankerFacts(MethodFacts):
    """Facts of a ranker or selector.

    Attributes
    ----------
    baseline : bool
        Whether it is a baseline that belongs to no paper's methods.
    predicts : {"nothing", ""}
        "nothing": every label gets the score 0, whatever evaluates the ranking.
    needs : tuple of str
        Facts of the dataset that it takes as parameters, such as the relevant features.
    selects : bool
        Whether it is a selector: it returns how many of its features count.
    seeded : callable or None
        Function of the parameters that returns whether the ranking depends on the seed; None: it does where
        the method has a parameter ``random_state``.
    cost : callable or None
        Function of the dataset's counts (n, F, L, cardinality, stored) and of the parameters that returns
        seconds on one core; None: `mlsieve.costs.model` estimates it.
    check : callable or None
        Function of all parameters that raises a UserError on what their types let pass; a study calls it
        before its first job.
    sizes : str
        The parameter that sizes in percent take the place of; empty: the method has no sizes.
    varied : str
        A parameter whose values all come from one fit: with a parameter ``each`` of several values in its
        place, the target returns a ranking for each. Empty: there is none.
    scores : mapping of str to Score
        For a ranker that grows ensembles of trees and scores the features by them: its target is a class
        whose parameters say how trees grow, one of them ``ensemble``, and whose method ``grow`` returns an
        ensemble (see `mlsieve.rankers.pct`). Empty: the target ranks the data.
    """

    baseline: bool = False
    predicts: Literal["nothing", ""] = ""
    needs: tuple[str, ...] = ()
    selects: bool = False
    seeded: Callable[[Mapping[str, Any]], bool] | None = None
    cost: Callable[[Mapping[str, float], Mapping[str, Any]], float] | None = None
    check: Callable[[Mapping[str, Any]], object] | None = None
    sizes: str = ""
    varied: str = ""
    scores: Mapping[str, Score] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EvaluatorFacts(MethodFacts):
    """Facts of an evaluator."""


@dataclass(frozen=True, kw_only=True)
class ChainFacts(MethodFacts):
    """Facts of a method that predicts label sets.

    Attributes
    ----------
    short : mapping of str to str
        Short names of parameters, such as ``{"depth": "max_depth"}``: ``--set depth=6``. A parameter
        without one has its own name there.
    extras : tuple of str
        Optional extras of mlsieve that some settings need, such as ``baselines``.
    at_once : bool
        Whether it sets all labels at once: its predictions have no sequence, and so no order of the labels.
    unmet : mapping of str to str
        Checks of scikit-learn's ``check_estimator`` that the method's definition contradicts, with reasons.
    """

    short: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    at_once: bool = False
    unmet: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MeasureFacts:
    """Facts of a function that computes a measure.

    Attributes
    ----------
    direction : {"lower", "higher"}
        Which value is better.
    definition : str
        Whose definition it is; `also` names others that are the same.
    needs : {"predicted", "scores"}
        What it is computed from, beside the true labels.
    empty : str
        What becomes of labels or examples without a value.
    measure : str
        Id of the measure, where several functions define it; empty: the function's own id.
    hierarchical : bool
        Whether it is for labels with a hierarchy only.
    accompanies : str
        The measure whose undefined labels it counts.
    undefined : {"no positive", "one class", "not predicted", "neither", ""}
        Of a measure that has a value for each label: which labels have none, those without a positive
        example, without a positive or a negative one, never predicted, or neither true nor predicted.
    undefined_counts : float or None
        What such a label counts by the definition; None: a cross-validation leaves it out of the fold.
    """

    direction: Literal["lower", "higher"]
    definition: str
    needs: Literal["predicted", "scores"]
    empty: str
    also: tuple[str, ...] = ()
    measure: str = ""
    hierarchical: bool = False
    accompanies: str = ""
    undefined: Literal["no positive", "one class", "not predicted", "neither", ""] = ""
    undefined_counts: float | None = None


@dataclass(frozen=True, kw_only=True)
class FigureFacts:
    """Facts of a figure: none."""


@dataclass(frozen=True, kw_only=True)
class QuestionFacts:
    """Facts of a question.

    Attributes
    ----------
    order : float
        Place among the questions: a later one uses what earlier ones chose.
    title : str
        The question as the report asks it.
    short : str
        What the page's table of contents calls it; empty: its id.
    settings : dataclass or None
        Class whose fields are the keys of the section ``analysis`` that this question alone reads; see
        `mlsieve.schemas`.
    tables : mapping of str to tuple of str
        Tables that a study needs only for this question, by the step that reads them: compare, sections
        or figures. `mlsieve.study.steps.STEPS` names the tables; the study gets the steps that make them.
    section : callable or None
        Function of the study's tables (`mlsieve.analysis.sections.SectionTables`) that returns what leads the
        question's section of the report (`mlsieve.analysis.sections.Section`); None: the tables that the
        question has made itself.
    effect_sizes : bool
        Whether the section's table of tests shows the pairs of methods that no test compares.
    """

    order: float
    title: str
    short: str = ""
    settings: type | None = None
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    section: Callable[[Any], Any] | None = None
    effect_sizes: bool = True


FACTS: dict[str, type] = {
    "ranker": RankerFacts,
    "evaluator": EvaluatorFacts,
    "chain": ChainFacts,
    "measure": MeasureFacts,
    "figure": FigureFacts,
    "question": QuestionFacts,
}


# Facts that are mappings of certain keys only: the steps that read a question's tables.
FIXED_KEYS = {("question", "tables"): ("compare", "sections", "figures")}


def require_facts(kind: str, id: str, facts: Mapping[str, Any]) -> None:
    """Make sure that a kind has these facts, and that their values are of the declared types.

    Raises
    ------
    TypeError
        On an unknown name, with the nearest known one, or a value that is not accepted.
    """
    hints = hints_of(FACTS[kind])
    for name, value in facts.items():
        if name not in hints:
            raise TypeError(
                f"{kind} {id!r} registers the unknown fact {name!r}: {did_you_mean(name, list(hints))}"
            )
        schema = schema_of(hints[name])
        if schema.get("type") == "object":
            fits = isinstance(value, Mapping)
            keys = FIXED_KEYS.get((kind, name), ())
            wrong = [key for key in value if key not in keys] if fits and keys else []
            if wrong:
                raise TypeError(
                    f"{kind} {id!r} registers {name} for {wrong[0]!r}: {did_you_mean(wrong[0], keys)}"
                )
        elif schema.get("type") == "array":
            fits = not isinstance(value, str) and all(accepts(schema["items"], each) for each in value)
        else:
            fits = accepts(schema, value)
        if not fits:
            raise TypeError(
                f"{kind} {id!r} registers {name} = {value!r}, which is not accepted: "
                f"give {accepted_values(schema, article=True)}"
            )
