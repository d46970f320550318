"""One look a method in all figures of a study: by score and ensemble, Relief black, baselines grey."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pandas as pd
import pytest

from mlsieve.plots.drawing.looks import HUES, Look, Looks
from mlsieve.plots.drawing.style import FAINT, INK
from mlsieve.tables.labels import Labels, labels_in

ENSEMBLES, SCORES = ("bagging", "random-forest", "extra-trees"), ("symbolic", "genie3", "permutation")
PAIRS = [("pct", ensemble, score) for ensemble, score in itertools.product(ENSEMBLES, SCORES)]


def labels(*singles: str, pairs: list = PAIRS) -> Labels:
    rows = [*pairs, *((name, "", "") for name in singles)]
    return labels_in(pd.DataFrame(rows, columns=["method", "ensemble", "score"]))


def seen(look: Look) -> tuple[str, str, str]:
    return look.color, look.marker, str(look.line)


def test_the_colour_shows_the_score_and_the_marker_the_ensemble():
    known = labels("relief")
    looks = Looks(known)
    for (_, ensemble, score), (_, other, same) in itertools.product(PAIRS, PAIRS):
        one, two = looks.of(f"{ensemble}/{score}"), looks.of(f"{other}/{same}")
        assert (one.color == two.color) == (score == same)
        assert (one.marker == two.marker) == (one.line == two.line) == (ensemble == other)
    assert all(looks.of(f"{e}/{s}").color == looks.of_score(s).color for _, e, s in PAIRS)
    assert all(looks.of(f"{e}/{s}").marker == looks.of_ensemble(e).marker for _, e, s in PAIRS)


def test_a_figure_takes_no_setting_from_the_working_folder(tmp_path):
    draw = [sys.executable, "-m", "mlsieve", "rank", "synthetic-linear", "--method", "uniform", "-o", "f.svg"]
    found = []
    for text in ("", "savefig.facecolor: red\ntext.usetex: True\nfont.size: 30\n"):
        (tmp_path / "matplotlibrc").write_text(text)
        subprocess.run(draw, cwd=tmp_path, check=True)
        found.append((tmp_path / "f.svg").read_bytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("others", [(), ("scls", "ami"), ("uniform", "random", "zzz")])
def test_relief_and_the_registered_baselines_look_the_same_in_every_study(others):
    alone, looks = Looks(labels("relief", "uniform", pairs=[])), Looks(labels("relief", "uniform", *others))
    assert looks.of("relief") == alone.of("relief") and looks.of("relief").color == INK
    assert looks.of("uniform") == alone.of("uniform") and looks.of("uniform").color == FAINT


def test_all_methods_of_a_large_study_differ():
    singles = [
        "relief",
        "uniform",
        "random",
        "oracle",
        "no-label",
        "all-features",
        "scls",
        "ami",
        "mdmr",
        "mlcfs",
    ]
    known = labels(*singles)
    looks = Looks(known, baselines=["all-features", "no-label"])
    found = {name: seen(looks.of(name)) for name in known}
    assert len(set(found.values())) == len(known)
    assert {looks.of(name).color for name in singles[1:6]} == {FAINT}
    assert looks.of("scls").color in HUES
    flat = [tuple(map(str, looks.of(name).level().values())) for name in singles[:6]]
    assert len(set(flat)) == 6 and all("'-'" not in text for text in flat)


def test_no_single_method_has_the_colour_and_marker_of_a_ranking_of_trees():
    pairs = [*PAIRS, *(("clus", ensemble, score) for _, ensemble, score in PAIRS)]
    singles = [
        "xdcc-gain",
        "xdcc-cover",
        "xdcc-splits",
        "ml-xgb-gain",
        "ml-xgb-cover",
        "ml-xgb-splits",
        "scls",
        "ami",
    ]
    known = labels(*singles, pairs=pairs)
    looks = Looks(known)
    found = {name: (looks.of(name).color, looks.of(name).marker) for name in known}
    assert len(set(found.values())) == len(known)


def test_the_order_of_rows_and_a_method_more_elsewhere_change_nothing():
    known = labels("relief", "uniform", "scls")
    turned = Labels(reversed(known.items()))
    assert all(Looks(known).of(name) == Looks(turned).of(name) for name in known)
    chains = Looks(labels("cc", pairs=[]), ["xdcc-sum", "xdcc"])
    assert len({seen(chains.of(name)) for name in ("cc", "xdcc", "xdcc-sum")}) == 3


def test_another_rival_is_black():
    looks = Looks(labels("relief", "hierarchical-relief"), rival="hierarchical-relief")
    assert looks.of("hierarchical-relief").color == INK and looks.of("relief").color in HUES
