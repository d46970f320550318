"""A tree as text."""

from __future__ import annotations

from mlsieve.errors import UserError, printable
from mlsieve.trees.ensemble import Ensemble


def tree_text(ensemble: Ensemble, tree: int = 0, depth: int = 3) -> str:
    """Return the first levels of one tree, a line per node, "yes" branches first.

    Parameters
    ----------
    ensemble : Ensemble
    tree : int
        From 0.
    depth : int
        How many levels of tests to show.

    Raises
    ------
    UserError
        If the ensemble has no such tree.
    """
    if not 0 <= tree < ensemble.n_trees:
        raise UserError(
            f"there is no tree {tree}", hint=f"the trees are numbered 0 to {ensemble.n_trees - 1}"
        )
    if depth < 0:
        raise UserError(f"depth {depth} is negative", hint="give 0 or more")
    base = int(ensemble.tree_start[tree])
    lines: list[str] = []
    pending = [(0, 0, "")]
    while pending:
        node, level, answer = pending.pop()
        at = base + node
        prefix = "  " * level + answer
        weight = f"n = {ensemble.nodes['weight'][at]:.6g}"
        if ensemble.nodes["feature"][at] < 0:
            lines.append(f"{prefix}{_leaf(ensemble, at)} ({weight})")
        elif level >= depth:
            lines.append(f"{prefix}... ({weight})")
        else:
            lines.append(f"{prefix}{_test(ensemble, at)}  (h = {ensemble.nodes['gain'][at]:.10f}, {weight})")
            pending.append((int(ensemble.nodes["no"][at]), level + 1, "no:  "))
            pending.append((int(ensemble.nodes["yes"][at]), level + 1, "yes: "))
    return "\n".join(map(printable, lines))


def _test(ensemble: Ensemble, at: int) -> str:
    feature = int(ensemble.nodes["feature"][at])
    names = ensemble.facts.get("feature_names")
    name = f"feature {feature}" + (f" [{names[feature]}]" if names else "")
    categories = ensemble.facts.get("categories", {}).get(str(feature))
    subset = ensemble.subset[ensemble.subset_start[at] : ensemble.subset_start[at + 1]].tolist()
    if subset:
        words = [categories[c] if categories else str(c) for c in subset]
        return f"{name} = {words[0]}" if len(words) == 1 else f"{name} in {{{', '.join(words)}}}"
    if categories:
        return f"{name} = {categories[1] if len(categories) > 1 else categories[0]}"
    return f"{name} > {float(ensemble.nodes['threshold'][at])!r}"


def _leaf(ensemble: Ensemble, at: int) -> str:
    part = slice(ensemble.leaf_start[at], ensemble.leaf_start[at + 1])
    shares = ensemble.leaf_count[part] / ensemble.nodes["weight"][at]
    names = ensemble.facts.get("label_names")
    pairs = sorted(zip(-shares, ensemble.leaf_label[part].tolist(), strict=True))
    words = [f"{names[label] if names else label} {-share:.3g}" for share, label in pairs]
    return "labels: " + (", ".join(words) or "none")
