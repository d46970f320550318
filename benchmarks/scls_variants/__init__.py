"""Which variant of SCLS gives the three columns that its paper prints: a search, and its outcome as a page.

The splits, sizes, discretisation and evaluation are those of the study ``scls_selection``: ten splits of
four fifths, ceil(sqrt(n)) features, LAIM, multi-label naive Bayes. With them the printed columns of AMI and
MDMR come out, and those of SCLS do not (Lee and Kim, Pattern Recognition 66, 2017, tables 2 to 4). Each
variant changes the criterion (eq. 25) or the discretisation.

    python -m benchmarks.scls_variants --mirror FOLDER --repeats 1 -o results.csv
    python -m benchmarks.scls_variants --mirror FOLDER --repeats 10 --variants eq25,ami-printed -o results.csv
    python -m benchmarks.scls_variants --table docs/scls_variants.md -o results.csv

Results are added to the file of `-o` one by one, and what is there is not computed again.
"""
