"""mlsieve: rank features, evaluate the rankings, test and show the result. See workflow/Snakefile.

An included file carries no default target, so the first rule stands here.
"""


include: "workflow/Snakefile"


rule default:
    input:
        rules.all.input,
