"""The papers whose figures are drawn, as captions name them."""

FLAT = "Petković et al. (Machine Learning 109, 2020)"
HIERARCHICAL = "Petković et al. (Acta Polytechnica Hungarica 17(10), 2020)"
SELECTION = "Lee and Kim (Pattern Recognition 66, 2017)"
