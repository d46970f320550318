"""Guard of the versions: which sources stand behind each method and step, as fingerprints in `lock.json`.

Snakemake does not look into the package, so a change there reruns nothing unless the version of what it
changes is raised. ``python -m fingerprints`` tells what was changed without that, ``--renew`` writes the lock
anew; docs/reruns.md tells how to use them.
"""
