"""Made-up tables with the shape of the study of chains, for tests of its questions and figures."""

import numpy as np
import pandas as pd

MEASURES = ("hamming-accuracy", "subset-accuracy", "f1")
SPLITS = ("max-gain", "sum-gain", "max-signed", "sum-signed", "max-abs", "sum-abs")
VERSIONS = ("standard", "cumulated")
# How good each method is, in standard units; the larger the better.
TUNED = {
    "br-xgb": 0.3,
    "cc-true": 0.6,
    "cc-probabilities": 0.35,
    "ml-xgb": 0.45,
    "xdcc-program-standard": 0.2,
    "xdcc-program-cumulated": 0.7,
    "xdcc-paper-cumulated": 0.25,
    "xdcc": 0.75,
}
# What only curves and chain_runs.csv have: orders of the static chains.
ORDERED = {
    "cc-true-frequent": 0.5,
    "cc-true-rare": 0.4,
    "cc-true-xdcc": 0.65,
    "cc-probabilities-frequent": 0.45,
    "cc-probabilities-rare": 0.2,
    "cc-probabilities-xdcc": 0.55,
}
LEVELS = {
    "rdt-dynamic": 0.0,
    "rdt-static": -1.6,
    "rdt-dynamic-threshold": -0.6,
    "rdt-static-threshold": -0.7,
    "rdt-likeliest": -1.8,
    "br-tree": -0.5,
    "cc-tree-true": -0.4,
    "lp-tree": -0.3,
    "br-forest": 0.1,
    "cc-forest-true": 0.2,
    "lp-forest": 0.5,
    **TUNED,
    **{f"{method}-fixed": level - 0.1 for method, level in TUNED.items()},
    **{
        f"{split}-{version}": 0.5 - 0.12 * place - 0.5 * (version == "standard")
        for place, split in enumerate(SPLITS)
        for version in VERSIONS
    },
}
# Without the eleventh dataset, as in the paper.
ON_TEN = ("br-tree", "cc-tree-true", "lp-tree", "br-forest", "cc-forest-true", "lp-forest")
# Dynamic chains that are cut after each length, and static ones with random orders on one dataset.
CHAINS = tuple(name for name in LEVELS if name.startswith("xdcc"))
ORDERS = {"cc-true-orders": "cc-true-fixed", "cc-probabilities-orders": "cc-probabilities-fixed"}
ORDERS["cc-program-orders"] = "cc-probabilities-fixed"
BOOSTED = ("br-xgb", "cc-true", "cc-probabilities", "ml-xgb", "xdcc")
SETS = {"set-1": (14, 4.24), "set-2": (6, 1.87), "set-3": (19, 1.01), "set-4": (7, 3.39)}
MORE = {f"set-{d}": (10 + d, 1.0 + d / 4) for d in range(5, 12)}


def sets_of(n_datasets):
    """Return number of labels and label cardinality by dataset."""
    return dict(list((SETS | MORE).items())[:n_datasets])


def chain_performance(n_datasets=11, methods=tuple(LEVELS), seed=0):
    """Return performance.csv: each method at its level, with noise."""
    rows = []
    for d, dataset in enumerate(sets_of(n_datasets)):
        generator = np.random.default_rng([seed, d])
        base = generator.uniform(0.4, 0.6)
        for method in methods:
            if method in ON_TEN and d == 10:
                continue
            for measure in MEASURES:
                spread = {"hamming-accuracy": 0.02, "subset-accuracy": 0.1, "f1": 0.08}[measure]
                value = base + spread * ((LEVELS | ORDERED)[method] + generator.normal(0, 0.25))
                facts = (dataset, "official", method, "", "", 0, 0, "", measure, "clus")
                rows.append((*facts, max(value, 0.0), 0))
    columns = ["dataset", "split", "method", "ensemble", "score", "size", "repeat", "evaluator", "measure"]
    return pd.DataFrame(rows, columns=[*columns, "definition", "value", "features"])


def chain_tables(n_datasets=4, n_orders=100, seed=0):
    """Return chain_runs.csv, chain_curves.csv, chain_steps.csv and datasets.csv as a dictionary of tables."""
    sets = sets_of(n_datasets)
    runs = _runs(chain_performance(n_datasets, (*LEVELS, *ORDERED), seed), sets)
    curves = _curves(runs, sets, n_orders, seed)
    described = pd.DataFrame({"dataset": list(sets), "cardinality": [one[1] for one in sets.values()]})
    tables = {"chain_runs": runs, "chain_curves": curves, "chain_steps": _steps(sets)}
    n_labels = [one[0] for one in sets.values()]
    return tables | {"datasets": described.assign(n_train=100, n_test=50, L=n_labels, distinct=60)}


def _runs(performance, sets):
    wide = performance.pivot(index=["dataset", "method"], columns="measure", values="value")[list(MEASURES)]
    rows = []
    for (dataset, method), values in wide.iterrows():
        n_labels = sets[dataset][0]
        chained = method.startswith(("cc", "xdcc", "rdt")) or method.endswith(VERSIONS)
        cost = {"br": 0.8, "cc": 1.0, "lp": 0.3, "ml": 0.15, "rd": 0.4, "xd": 1.3}.get(method[:2], 1.2)
        cost *= 2.0 if method.startswith("cc-probabilities") else 1.0
        boosted = method.startswith(BOOSTED) or method.endswith(VERSIONS)
        tuned = boosted and not method.endswith("-fixed") and method not in ORDERED
        row = {
            "dataset": dataset,
            "split": "official",
            "repeat": 0,
            "method": method,
            "entry": method,
            "id": method,
        }
        row |= {
            "tuned_by": "f1" if tuned else "",
            "settings": "depth=6 rounds=10" if boosted else "",
            **values,
        }
        row |= {"training_seconds": cost * n_labels / 10, "prediction_seconds": cost * n_labels / 100}
        draws = 10 if "static" in method else 1
        row |= {"predicted_cardinality": sets[dataset][1], "commonest_set": 0.25}
        rows.append(row | {"draws": draws, "steps": n_labels * chained})
        if dataset == "set-1":
            own = [orders for orders, static in ORDERS.items() if static == method]
            rows += [row | {"method": name, "entry": name, "draws": 100, "steps": n_labels} for name in own]
    return pd.DataFrame(rows)


def _curves(runs, sets, n_orders, seed):
    """Return curves that rise to the label cardinality, orders around the static chain, sigma curves."""
    generator, rows = np.random.default_rng(seed + 1), []
    at = runs.set_index(["dataset", "method"])
    for dataset, (n_labels, cardinality) in sets.items():
        for method in CHAINS:
            own = at.loc[(dataset, method)]
            facts = (dataset, "official", 0, method, "chain_length")
            for length in range(1, n_labels + 1):
                short = np.exp(-length / cardinality * (1.2 if "standard" in method else 3))
                for measure in MEASURES:
                    rows.append((*facts, float(length), measure, own[measure] * (1 - 0.5 * short)))
                for name in ("training", "prediction"):
                    seconds = own[f"{name}_seconds"] * length / n_labels
                    rows.append((*facts, float(length), f"{name}-seconds", seconds))
        for method, name in ORDERS.items() if dataset == "set-1" else ():
            static = at.loc[(dataset, name)]
            for draw in range(n_orders):
                facts = (dataset, "official", 0, method, "draw", float(draw))
                rows += [(*facts, name, static[name] + generator.normal(0, 0.01)) for name in MEASURES]
                rows += [
                    (*facts, f"{time}-seconds", static[f"{time}_seconds"] * generator.uniform(0.9, 1.1))
                    for time in ("training", "prediction")
                ]
        for method in ("rdt-static", "rdt-static-threshold"):
            mean = at.loc[(dataset, method)]
            spread = np.linspace(-0.04, 0.04, 10)
            for draw in range(10):
                facts = (dataset, "official", 0, method, "draw", float(draw))
                rows += [(*facts, name, mean[name] + spread[draw]) for name in MEASURES]
        for place, method in enumerate(("rdt-10", "rdt-20", "rdt-dynamic")):
            end = at.loc[(dataset, "rdt-dynamic")]
            for sigma in np.linspace(0, 1, 11):
                facts = (dataset, "official", 0, method, "sigma", float(sigma))
                gain = {name: (sigma - 1) * 0.05 * (1 + place) for name in MEASURES}
                rows += [(*facts, name, end[name] + gain[name]) for name in MEASURES]
    columns = ["dataset", "split", "repeat", "method", "parameter", "point", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def _steps(sets):
    rows = []
    for dataset, (n_labels, cardinality) in sets.items():
        steps = np.arange(1, n_labels + 1)
        for method in ("rdt-10", "rdt-20", "rdt-dynamic"):
            for sigma in np.linspace(0, 1, 11):
                late = np.clip((steps - n_labels + cardinality + 1) / (cardinality + 1), 0, 1)
                rows += _rows_of(dataset, method, sigma, 0.97 - (0.35 - 0.1 * sigma) * late, late * 0.6)
        early = np.exp(-(steps - 1) / cardinality) * 0.8
        for method in CHAINS:
            rows += _rows_of(dataset, method, None, 0.9 - 0.2 * steps / n_labels, early)
    columns = [
        *(
            "dataset",
            "split",
            "repeat",
            "method",
            "parameter",
            "point",
            "step",
            "set",
            "accuracy",
            "positive",
        ),
        *("positives", "positive_share", "negative_share", "cardinality"),
    ]
    return pd.DataFrame(rows, columns=columns)


def _rows_of(dataset, method, sigma, accuracy, positive):
    """Return the rows of one sequence from its accuracy and share of positive labels by step."""
    negative = 1 - positive
    head = (
        dataset,
        "official",
        0,
        method,
        "" if sigma is None else "sigma",
        np.nan if sigma is None else sigma,
    )
    return [
        (
            *(*head, step + 1, 1.0, accuracy[step], positive[step], positive[: step + 1].sum()),
            positive[: step + 1].sum() / positive.sum(),
            *(negative[: step + 1].sum() / negative.sum(), np.nan),
        )
        for step in range(len(accuracy))
    ]


CUT = "end after 6 steps on set-3 (19 labels): no full chain is trained there."


def cut_tables():
    """Return the tables of a made-up study whose dynamic chains end after six labels on set-3."""
    tables = chain_tables()
    curves, made, steps = (tables[name] for name in ("chain_curves", "chain_runs", "chain_steps"))
    points = curves["point"].astype(float)
    long = (curves["dataset"] == "set-3") & (curves["parameter"] == "chain_length") & (points > 6)
    of_chains = made["method"].str.startswith("xdcc") & (made["dataset"] == "set-3")
    later = (steps["dataset"] == "set-3") & steps["method"].str.startswith("xdcc") & (steps["step"] > 6)
    return {
        "chain_curves": curves[~long],
        "chain_runs": made.assign(
            steps=made["steps"].mask(of_chains, 6),
            settings=made["settings"].mask(made["method"].str.startswith("cc-true"), "base=ml-xgb depth=6"),
        ),
        "chain_steps": steps[~later],
    }


def written(folder, n_datasets=4, **others):
    """Write these tables to a folder, and read them as the study's steps do."""
    from mlsieve.files.csv_tables import read_frame

    found = {}
    for name, table in chain_tables(n_datasets, **others).items():
        table.to_csv(folder / f"{name}.csv", index=False, na_rep="NaN")
        found[name] = read_frame(folder / f"{name}.csv")
    return found
