"""``mlsieve step chain-test``: a method of a study, fitted with the parameters that its grid has chosen."""

from __future__ import annotations

import argparse
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from mlsieve.cli._chains import add_step_arguments, method_and_measures
from mlsieve.cli._options import dataset_from, settings_from, words
from mlsieve.errors import UserError, did_you_mean, shortened

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.evaluation.chain_choices import Tuning
    from mlsieve.evaluation.chain_tuning import TunedPoint
    from mlsieve.evaluation.chain_variants import Variant
    from mlsieve.evaluation.chains import ChainMethod
    from mlsieve.measures import Measure

HELP = "choose a chain's parameters from points of a grid, fit the training part, and measure the test part"
EXAMPLE = (
    "mlsieve step chain-test emotions --method xdcc --points depth-3.json depth-6.json --tuned-by f1"
    " --variant standard cumulate=none --variant cumulated --curve cumulated chain_length all -o xdcc.json\n"
    "  mlsieve step chain-test emotions --method rdt-dcc --variant dynamic --variant static order=random"
    " --draws static=10 --curve dynamic sigma 0 0.5 1 -o rdt.json"
)

_WAY = "cumulate=none"  # as messages show a parameter of prediction


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_step_arguments(parser)
    parser.add_argument("--name", metavar="NAME", help="what the study calls the method (default: its id)")
    parser.add_argument(
        "--points",
        nargs="*",
        default=[],
        metavar="JSON",
        help="files of 'mlsieve step chain-tune', in the order of the grid: the first of the best is chosen",
    )
    parser.add_argument(
        "--tuned-by",
        metavar="A,B",
        help="measures that choose a point, with a model for each (default f1)",
    )
    parser.add_argument(
        "--choose",
        nargs="*",
        metavar="A,B",
        help="the points are another method's: take the values of these parameters alone",
    )
    parser.add_argument(
        "--tuned-at",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="parameters that the points have in place of those of --set, such as a shorter chain",
    )
    parser.add_argument(
        "--tuned-as",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="with --choose: the way of predicting that counts",
    )
    parser.add_argument(
        "--orders",
        nargs="*",
        default=[],
        metavar="JSON",
        help="points of another method: order the labels by their mean position in the best one",
    )
    parser.add_argument(
        "--ordered-as",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="with --orders: the way of predicting that counts",
    )
    parser.add_argument(
        "--variant",
        dest="variants",
        action="append",
        nargs="+",
        default=[],
        metavar=("NAME", "NAME=VALUE"),
        help="a way of predicting with the fitted model, and its parameters; repeatable",
    )
    parser.add_argument(
        "--draws",
        action="append",
        default=[],
        metavar="NAME=N",
        help="the means of so many random orders of the labels for a variant; repeatable",
    )
    parser.add_argument(
        "--curve",
        dest="curves",
        action="append",
        nargs="+",
        default=[],
        metavar=("NAME", "PARAMETER VALUE"),
        help="a variant's measures at values of a parameter of prediction, or chain_length all; repeatable",
    )
    parser.add_argument(
        "--only-curves", action="store_true", help="leave the method out of the table of performance"
    )


def run(args: argparse.Namespace) -> None:
    """Choose, fit, predict and measure."""
    from mlsieve.evaluation.chain_testing import ChainTest
    from mlsieve.evaluation.chain_tuning import load_points
    from mlsieve.evaluation.chain_variants import checked_variant
    from mlsieve.evaluation.chains import chain_measures, chain_method
    from mlsieve.files.writing import write_json

    _check_points(args)
    method, names = method_and_measures(args, more_follow=bool(args.points))
    variants = [checked_variant(method, variant) for variant in _variants(args)]
    if names is not None:
        _require_measures(args, names)
    if args.orders:
        chain_method(args.method, {"order": "given", "given": None})  # which it has to take
    tuned_as = settings_from(args.tuned_as, "--tuned-as", _WAY)
    ordered_as = settings_from(args.ordered_as, "--ordered-as", _WAY)
    points, orders = ([*chain.from_iterable(map(load_points, paths))] for paths in (args.points, args.orders))
    dataset = dataset_from(args)
    measures = chain_measures(dataset, names, args.definition)
    tuning = _tuning(args, method, points, tuned_as, dataset, measures) if points else None
    if orders:
        method = _ordered(args, method, orders, ordered_as, dataset, measures)
    test = ChainTest(
        method,
        args.name or method.entry.id,
        variants,
        dataset,
        measures,
        tuning,
        only_curves=args.only_curves,
        split=args.split,
        repeat=args.repeat,
        seed=args.seed,
        n_threads=args.threads,
    )
    write_json(args.output, test.run())


def _check_points(args: argparse.Namespace) -> None:
    for option, given, needed in (
        ("--tuned-by", args.tuned_by, "points"),
        ("--choose", args.choose, "points"),
        ("--tuned-at", args.tuned_at, "points"),
        ("--tuned-as", args.tuned_as, "choose"),
        ("--ordered-as", args.ordered_as, "orders"),
    ):
        if given and (getattr(args, needed) is None if needed == "choose" else not getattr(args, needed)):
            raise UserError(f"{option} without --{needed}", hint=f"give --{needed}, too, or leave it out")


def _variants(args: argparse.Namespace) -> list[Variant]:
    """Return the variants with their draws and curves."""
    from mlsieve.evaluation.chain_variants import ALL, Variant, require_names

    draws, curves = dict(map(_draws, args.draws)), {}
    for words_ in args.curves:
        if len(words_) < 3:
            raise UserError(
                f"--curve {' '.join(words_)}: not a variant, a parameter and its values",
                hint="write e.g. --curve dynamic sigma 0 0.5 1",
            )
        name, parameter, *values = words_
        points = () if values == [ALL] else tuple(settings_from([f"v={value}"])["v"] for value in values)
        curves[name] = (parameter.replace("-", "_"), points)
    found = []
    for name, *settings in args.variants or [[args.name or args.method]]:
        if "=" in name:
            raise UserError(
                f"--variant {name}: begins without a name", hint=f"write e.g. --variant standard {_WAY}"
            )
        params = settings_from(settings, f"--variant {name}", _WAY)
        found.append(Variant(name, params, draws.get(name, 1), *curves.get(name, ("", ()))))
    require_names(found, [*draws, *curves])
    return found


def _draws(word: str) -> tuple[str, int]:
    name, _, count = word.rpartition("=")
    if not name or not re.fullmatch("0*[1-9][0-9]{0,8}", count):
        raise UserError(
            f"--draws {shortened(word)}: not of the form NAME=N", hint="write e.g. --draws static=10"
        )
    return name, int(count)


def _require_measures(args: argparse.Namespace, known: list[str]) -> list[str]:
    """Return the measures that choose, each once; a UserError if one is not known."""
    from mlsieve.evaluation.chain_choices import DEFAULT_MEASURE

    by = words(args.tuned_by or DEFAULT_MEASURE)
    for name in by if args.points else ():
        if name not in known:
            raise UserError(f"--tuned-by {name} is not among the measures", hint=did_you_mean(name, known))
    return list(dict.fromkeys(by))


def _tuning(
    args: argparse.Namespace,
    method: ChainMethod,
    points: list[TunedPoint],
    tuned_as: dict[str, Any],
    dataset: Dataset,
    measures: list[Measure],
) -> Tuning:
    """Return the points, and the measures that choose among them."""
    from mlsieve.evaluation.chain_choices import Tuning, require_points
    from mlsieve.evaluation.chains import chain_method

    known = {measure.id: measure for measure in measures}
    chosen = [known[name] for name in _require_measures(args, [*known])]
    own = args.choose is None
    at = settings_from(args.tuned_at, "--tuned-at", "chain_length=5")
    for name in at:
        if name not in method.settings:
            raise UserError(f"--tuned-at {name}: --set does not set it", hint="set it there, too")
    as_tuned = chain_method(method.entry.id, {**method.settings, **at}, more_follow=True) if own else None
    require_points(points, dataset, args.split, args.repeat, method=as_tuned)
    if own:
        return Tuning(points, chosen)
    names = words(",".join(args.choose))
    settings = sorted({name for point in points for name in point.settings})
    for name in names:
        if name not in settings:
            raise UserError(f"--choose {name}: the points do not set it", hint=did_you_mean(name, settings))
    return Tuning(points, chosen, names, _params(points, tuned_as))


def _ordered(
    args: argparse.Namespace,
    method: ChainMethod,
    points: list[TunedPoint],
    ordered_as: dict[str, Any],
    dataset: Dataset,
    measures: list[Measure],
) -> ChainMethod:
    """Return a method with the order of the labels that points of another one have."""
    from mlsieve.evaluation.chain_choices import mean_order, require_points
    from mlsieve.evaluation.chains import chain_method

    require_points(points, dataset, args.split, args.repeat)
    first = words(args.tuned_by or "")[:1]
    by = [measure for measure in measures if measure.id in first] or measures
    order = mean_order(points, _params(points, ordered_as), [*by, *measures])
    settings = {**method.settings, "order": "given", "given": order}
    return chain_method(method.entry.id, settings, more_follow=bool(args.points))


def _params(points: list[TunedPoint], settings: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of prediction of the method that points are of."""
    from mlsieve.evaluation.chain_tuning import variant_params
    from mlsieve.evaluation.chains import chain_method

    return variant_params(chain_method(points[0].method, {}), settings)
