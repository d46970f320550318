"""What happens before the first job and after the last; and which jobs go to a cluster together."""

from mlsieve.files.streams import words_spelled_out
from mlsieve.workflow.cluster import Batching
from mlsieve.workflow.display import StudyDisplay
from mlsieve.workflow.run import (
    closing_line,
    finish_after_failure,
    finishing_at_a_line,
    lift_default_rate,
    print_notices,
    require_writable,
)

# Each rule is one command. It takes the place of its shell, which would tell the terminal of a killed command.
shell.prefix("set -euo pipefail; exec ")

batching = Batching(study, workflow)
display = StudyDisplay()


onstart:
    require_writable(study)
    lift_default_rate(workflow.scheduler)
    display.show(workflow, study, continued=finishing_at_a_line())


onsuccess:
    display.hide()
    if not finishing():
        with words_spelled_out():  # logs may hold the words of others
            print_notices(study)
            print(closing_line(study))


onerror:
    display.hide(failed=True)
    with words_spelled_out():
        finish_after_failure(config, workflow.main_snakefile, log, display)
