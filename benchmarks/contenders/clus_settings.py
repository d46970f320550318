"""The settings file of CLUS, for flat labels and for classes of a hierarchy."""

SETTINGS = """\
[General]
RandomSeed = 1
Verbose = 1

[Data]
File = data.arff

[Attributes]
Descriptive = 1-{n_features}
Target = {target}
Clustering = {target}
{hierarchical}
[Tree]
Heuristic = VarianceReduction

[Ensemble]
Iterations = {trees}
EnsembleMethod = {method}
SelectRandomSubspaces = SQRT
FeatureRanking = [{scores}]
SymbolicWeight = 0.5
NumberOfThreads = {threads}

[Relief]
Iterations = [{share}]
Neighbours = [{k}]
{distance}
[Output]
TrainErrors = No
"""
