"""CLUS's nearest neighbours on hierarchical sets: how to run them, and what they gave.

The figures are of CLUS 2.12.8, in the jar of the package pyclus 1.0.2, with Java 17: ``java -jar clus.jar
-knn data.s`` with `SETTINGS`, on the set's train and valid files merged and on its test file. They stand in
the part "Testing error" of ``data.out`` under "Original 10-nn model". CLUS gives two kinds: "Hierarchical
error measures" leave out classes without a positive in the test file (our definition "clus"), "Multilabel
error measures for HMLC" take all classes (our "paper"). CLUS scales features by train and test file together
(ranges="all"). With `ReduceMemoryNominalAttrs = Yes` this version does not read seq_FUN.
"""

from __future__ import annotations

import lzma
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

SETTINGS = """\
[General]
RandomSeed = 1

[Data]
File = trainvalid.arff
TestSet = test.arff

[Hierarchical]
Type = {type}
HSeparator = /

[kNN]
K = 10
Distance = Euclidean
SearchMethod = BruteForce
DistanceWeighting = [Constant]
AttributeWeighting = {weights}

[Output]
TrainErrors = No
TestErrors = Yes
"""

# Average AUROC, average AUPRC and pooled AUPRC of the hierarchical error measures.
HIERARCHICAL = {
    "cellcycle_FUN": (0.5232875349, 0.0329988075, 0.1269368918),
    "cellcycle_GO": (0.5157254117, 0.0221023109, 0.3849075813),
    "seq_FUN": (0.5836398299, 0.0612018023, 0.1638997222),
    "enron_corr": (0.5621634289, 0.1445656241, 0.5273929044),
}
# The same with weights 0, 1/4, 1/2, 3/4, 1, 0, 1/4, ... of the features, in their order.
WEIGHTED = {
    "cellcycle_GO": (0.5177149328, 0.0238498823, 0.3950360563),
    "seq_FUN": (0.5729444436, 0.0595805215, 0.1570216851),
}
HIERARCHICAL_MEASURES = ("auroc", "auprc", "pooled-auprc")

# The multilabel error measures, seven digits, in the order of the sets above.
MULTILABEL = {
    "accuracy": (0.05839756, 0.2661409, 0.09429535, 0.3177505),
    "auprc": (0.02909714, 0.01522246, 0.05408817, 0.1445656),
    "auroc": (0.5205341, 0.5108305, 0.5739182, 0.5621634),
    "coverage": (433.911007, 3853.91784, 386.096341, 45.656061),
    "f1": (0.08599006, 0.4061654, 0.1332368, 0.4460359),
    "hamming-loss": (0.01846785, 0.007459193, 0.01787743, 0.07973485),
    "micro-f1": (0.08110843, 0.398188, 0.1233028, 0.4419617),
    "micro-precision": (0.3653576, 0.6727169, 0.4202101, 0.7298311),
    "micro-recall": (0.04561772, 0.2827859, 0.07225185, 0.3169473),
    "one-error": (0.5019516, 0.0, 0.4615385, 0.0),
    "pooled-auprc": (0.125335, 0.3813908, 0.162775, 0.5273929),
    "precision": (0.2311345, 0.6836035, 0.3082169, 0.7234343),
    "ranking-loss": (0.2799409, 0.2085706, 0.2213438, 0.1529842),
    "recall": (0.0621852, 0.3274031, 0.1018096, 0.353224),
    "subset-accuracy": (0.01249024, 0.002347418, 0.02837939, 0.04545455),
}


def run_clus(
    mirror: Path, dataset: str, kind: str, folder: Path, weights: Sequence[float] = ()
) -> dict[str, float]:
    """Run CLUS on a set of the mirror and return its hierarchical error measures.

    Parameters
    ----------
    mirror : Path
    dataset : str
    kind : {"Tree", "DAG"}
    folder : Path
        Empty; files are written there.
    weights : sequence of float
        Of the features; none: all 1.
    """
    from benchmarks.contenders.clus import OPENED, jar

    parts = {
        part: next((mirror / "clus" / dataset).glob(f"*[._]{part}.arff.xz"), None)
        for part in ("trainvalid", "train", "valid", "test")
    }
    texts = {part: lzma.open(path, "rt").read() for part, path in parts.items() if path is not None}
    if "trainvalid" not in texts:
        rows = re.split(r"(?im)^@data\s*$", texts["valid"])[1]
        texts["trainvalid"] = texts["train"].rstrip() + "\n" + rows.lstrip()
    for part in ("trainvalid", "test"):
        (folder / f"{part}.arff").write_text(texts[part], encoding="utf-8")
    given = f"[{','.join(map(str, weights))}]" if len(weights) else "none"
    (folder / "data.s").write_text(SETTINGS.format(type=kind, weights=given), encoding="utf-8")
    command = ["java", *OPENED, "-jar", str(jar()), "-knn", "data.s"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert (folder / "data.out").is_file(), done.stdout + done.stderr
    return errors(folder / "data.out")


def errors(report: Path) -> dict[str, float]:
    """Return the hierarchical error measures of a report."""
    text = report.read_text(encoding="utf-8", errors="replace").split("Testing error", 1)[1]
    text = text.split("Original 10-nn", 1)[1]
    found = re.findall(r"^ +(Average AUROC|Average AUPRC|Pooled AUPRC): +(\S+)$", text, re.MULTILINE)[:3]
    return {name.lower().removeprefix("average ").replace(" ", "-"): float(value) for name, value in found}
