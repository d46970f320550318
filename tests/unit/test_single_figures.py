"""Figures that return Axes: what they draw, and that nothing overlaps."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.ensemble import RandomForestClassifier
from synthetic_study import performance_table

from mlsieve.data import load_dataset
from mlsieve.plots import plot_critical_difference, plot_ranking, plot_saturation, save_figure
from mlsieve.rankers import ReliefRanker
from mlsieve.selectors import SCLS
from mlsieve.stats import rank_methods

DATA = load_dataset("synthetic-linear")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


def frame():
    return pd.DataFrame(DATA.X_train, columns=DATA.feature_names)


def bars(ax):
    """Return names and scores from the top."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    return list(zip(names, [bar.get_width() for bar in ax.patches], strict=True))


def curves(ax):
    """Return each curve of the legend with its values; horizontal lines have none."""
    handles = {
        text.get_text(): line
        for text, line in zip(ax.get_legend().texts, ax.get_legend().get_lines(), strict=True)
    }
    ticks = [int(label.get_text()) for label in ax.get_xticklabels()]
    drawn = [
        line for line in ax.lines if len(line.get_xdata()) and line.get_marker() not in ("", "None", None)
    ]
    named = [name for name, line in handles.items() if line.get_marker() not in ("", "None", None)]
    return {
        name: dict(zip([ticks[int(x)] for x in line.get_xdata()], line.get_ydata(), strict=True))
        for name, line in zip(named, drawn, strict=True)
    }


@pytest.mark.parametrize(
    "estimator", [ReliefRanker(), SCLS(n_features_to_select=3)], ids=["ranker", "selector"]
)
def test_the_bars_are_the_first_rows_of_the_ranking(estimator, tmp_path):
    fitted = estimator.fit(frame(), DATA.Y_train)
    table = fitted.ranking_frame()
    fitted.ranking().to_csv(tmp_path / "ranking.csv")
    expected = list(zip(table["feature"][:7], table["score"][:7], strict=True))
    for given in (
        fitted,
        fitted.ranking(),
        table,
        table.sample(frac=1, random_state=0),
        tmp_path / "ranking.csv",
    ):
        ax = plot_ranking(given, top=7)
        assert isinstance(ax, Axes)
        assert bars(ax) == expected
        assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first is at the top
        assert_nothing_overlaps(ax.figure)
        colours = [bar.get_facecolor() for bar in ax.patches]
        assert len(set(colours[:3])) == 1 and (colours[0] == colours[3]) == isinstance(
            estimator, ReliefRanker
        )


def test_few_features_and_long_names_fit():
    forest = RandomForestClassifier(5, random_state=0).fit(DATA.X_train[:, :3], DATA.Y_train.toarray())
    assert [name for name, _ in bars(plot_ranking(forest))] == [
        f"x{place}" for place in np.argsort(-forest.feature_importances_)
    ]
    long = pd.DataFrame({"feature": ["a" * 90, "b"], "score": [2.0, -1.0]})
    ax = plot_ranking(long)
    assert [len(name) for name, _ in bars(ax)] == [40, 1]
    assert_nothing_overlaps(ax.figure)


@pytest.mark.parametrize(
    "given, options, message",
    [
        (3, {}, "int is not a ranking"),
        (pd.DataFrame({"feature": ["a"]}), {}, "no column 'score'"),
        (pd.DataFrame({"feature": ["a"], "score": [1.0]}), {"top": 0}, "top must be"),
    ],
)
def test_what_is_no_ranking_is_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        plot_ranking(given, **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_names_of_any_letters_are_drawn(suffix, tmp_path):
    names = [
        "a\x1b[31m",
        "\x07b",
        "\u202ec",
        "d\ne",
        "\N{CJK UNIFIED IDEOGRAPH-4E2D}",
        "\N{ARABIC LETTER BEH}",
    ]
    ranking = pd.DataFrame({"feature": names, "score": range(6, 0, -1)})
    path = tmp_path / f"ranking.{suffix}"
    ax = plot_ranking(ranking)
    save_figure(ax.figure, path)
    assert [name for name, _ in bars(ax)] == [r"a\x1b[31m", r"\x07b", r"\u202ec", r"d\ne", *names[4:]]
    ranks = {name: place + 1.0 for place, name in enumerate(names)}
    save_figure(plot_critical_difference(ranks).figure, path)
    if suffix == "svg":
        texts = [text.text for text in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        assert any(text.startswith(r"a\x1b[31m  ") for text in texts), texts


def test_curves_are_means_over_the_datasets():
    table = performance_table(n_datasets=4)
    ax = plot_saturation(table, "hamming-loss")
    assert ax.get_title() == "hamming-loss ↓" and ax.get_xlabel() == "number of trees"
    part = table[(table["measure"] == "hamming-loss") & (table["size"] > 0)]
    means = part.groupby(["ensemble", "score", "size"])["value"].mean()
    found = curves(ax)
    assert set(found) == {f"{ensemble}/{score}" for ensemble, score, _ in means.index}
    for name, curve in found.items():
        ensemble, score = name.split("/")
        assert curve == pytest.approx(means[ensemble, score].to_dict())
    levels = (
        table[(table["measure"] == "hamming-loss") & (table["size"] == 0)].groupby("method")["value"].mean()
    )
    flat = [
        line.get_ydata()[0]
        for line in ax.lines
        if len(set(line.get_ydata())) == 1 and len(line.get_ydata()) == 2
    ]
    assert sorted(flat) == pytest.approx(sorted(levels))
    assert_nothing_overlaps(ax.figure)


def test_a_small_table_and_a_file_are_enough(tmp_path):
    small = pd.DataFrame(
        {"method": ["a", "a", "b", "b", "c"], "size": [10, 50, 10, 50, 0], "value": [1, 2, 3, 4.5, 2]}
    )
    ax = plot_saturation(small)
    assert curves(ax) == {"a": {10: 1, 50: 2}, "b": {10: 3, 50: 4.5}}
    assert ax.get_xlabel() == "size"
    performance_table(n_datasets=2, measures=("f1", "auprc")).to_csv(
        tmp_path / "performance.csv", index=False
    )
    assert plot_saturation(tmp_path / "performance.csv").get_title() == "f1 ↑"


def test_tables_without_curves_are_refused():
    small = pd.DataFrame({"method": ["a", "b"], "size": [10, 10], "value": [1.0, 2.0]})
    with pytest.raises(ValueError, match="no method has two sizes"):
        plot_saturation(small)
    with pytest.raises(ValueError, match="no column 'size'"):
        plot_saturation(small.drop(columns="size"))
    with pytest.raises(ValueError, match="no measure 'f2'; known: f1"):
        plot_saturation(performance_table(n_datasets=2, measures=("f1",)), "f2")
    gaps = pd.DataFrame({"dataset": ["d", "e"], "method": ["a", "a"], "size": [10, 20], "value": [1.0, 2.0]})
    with pytest.raises(ValueError, match="no dataset has a value for every method and size"):
        plot_saturation(gaps)


RANKS = {"random forest": 1.5, "extra trees": 2.1, "bagging": 3.4, "relief": 3.9, "uniform": 4.1}


def labels(ax):
    return {text.get_text() for text in ax.texts if text.get_gid() == "label"}


def spans(ax):
    return sorted(len(line.get_xdata()) for line in ax.lines if line.get_gid() == "bar")


def test_ranks_by_method_are_drawn_with_the_bars_of_the_distance():
    for given in (RANKS, pd.Series(RANKS)):
        ax = plot_critical_difference(given, 1.2, title="f1")
        assert labels(ax) == {f"{name}  {rank:.2f}" for name, rank in RANKS.items()}
        assert len(spans(ax)) == 2
        assert "critical distance 1.20" in {text.get_text() for text in ax.texts}
        assert_nothing_overlaps(ax.figure)
    assert len(spans(plot_critical_difference(RANKS, 0.1))) == 0
    joined = plot_critical_difference(RANKS)
    assert len(spans(joined)) == 1
    assert "Friedman's test is not significant" in {text.get_text() for text in joined.texts}


def table():
    rows = []
    for measure, shift in (("f1", 0.0), ("auprc", 0.4)):
        for variant in ("all", "one-per-domain"):
            for method, rank in RANKS.items():
                facts = {"question": "ensemble", "measure": measure, "variant": variant, "method": method}
                rows.append(facts | {"rank": rank + shift, "critical_distance": 1.2, "reference_method": ""})
    return pd.DataFrame(rows)


def test_one_diagram_of_a_table_is_selected(tmp_path):
    ax = plot_critical_difference(table(), measure="auprc")
    assert labels(ax) == {f"{name}  {rank + 0.4:.2f}" for name, rank in RANKS.items()}
    assert "auprc" in {text.get_text() for text in ax.texts}
    table().to_csv(tmp_path / "average_ranks.csv", index=False)
    assert labels(plot_critical_difference(tmp_path / "average_ranks.csv", measure="auprc")) == labels(ax)
    with pytest.raises(
        ValueError, match=r"several diagrams, whose measure differs; give measure=\.\.\. as one of f1, auprc"
    ):
        plot_critical_difference(table())
    with pytest.raises(ValueError, match="no ranks with measure = 'f2'; known: auprc, f1"):
        plot_critical_difference(table(), measure="f2")
    with pytest.raises(ValueError, match="no column 'colour'"):
        plot_critical_difference(table(), colour="red")
    with pytest.raises(ValueError, match="are columns of the table"):
        plot_critical_difference(table(), 1.0, measure="f1")


def test_wrong_ranks_are_refused():
    with pytest.raises(ValueError, match="reference method 'baging' has no rank; did you mean 'bagging'"):
        plot_critical_difference(RANKS, 1.0, reference="baging")
    with pytest.raises(ValueError, match="must be numbers"):
        plot_critical_difference({})
    with pytest.raises(ValueError, match="measure selects rows of a table"):
        plot_critical_difference(RANKS, measure="f1")


def test_of_values_by_method_the_hint_makes_the_ranks():
    values = pd.DataFrame({"bagging": [0.9, 0.8], "forest": [0.7, 0.9]}, index=["scene", "yeast"])
    with pytest.raises(ValueError, match=r"a Series of average ranks .*rank_methods\(values\)\.mean\(\)"):
        plot_critical_difference(values)
    assert labels(plot_critical_difference(rank_methods(values).mean())) == {"bagging  1.50", "forest  1.50"}


def wide_table(n_features=1000):
    random = np.random.default_rng(0)
    names = [f"gene_{place:04d}_with_a_long_name" for place in range(n_features)]
    return pd.DataFrame({"feature": names, "score": np.sort(random.random(n_features))[::-1]})


def test_of_a_wide_table_the_best_are_shown():
    for options, shown in (({}, 30), ({"top": 60}, 60)):
        ax = plot_ranking(wide_table(), **options)
        assert [name for name, _ in bars(ax)] == list(wide_table()["feature"][:shown])
        assert_nothing_overlaps(ax.figure)


@pytest.mark.parametrize("height", [2.0, 3.0, 4.8])
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_on_given_axes_as_many_are_shown_as_have_room(height, layout):
    figure, ax = pyplot.subplots(figsize=(8, height), layout=layout)
    figure.subplots_adjust(left=0.4, bottom=0.3) if layout is None else None
    shown = bars(plot_ranking(wide_table(), top=500, ax=ax))
    assert 1 <= len(shown) < 40 and shown[0][0] == wide_table()["feature"][0]
    assert_nothing_overlaps(figure)


def test_given_axes_are_drawn_on_and_settings_stay():
    before = dict(pyplot.rcParams)
    figure, axes = pyplot.subplots(1, 3, figsize=(18, 4), layout="constrained")
    assert plot_ranking(ReliefRanker().fit(frame(), DATA.Y_train), ax=axes[0]) is axes[0]
    assert plot_saturation(performance_table(n_datasets=2, measures=("f1",)), ax=axes[1]) is axes[1]
    assert plot_critical_difference(RANKS, 1.2, reference="uniform", ax=axes[2]) is axes[2]
    assert len(pyplot.get_fignums()) == 1 and all(ax.has_data() for ax in axes)
    assert dict(pyplot.rcParams) == before
    assert_nothing_overlaps(figure)
