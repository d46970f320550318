#!/bin/sh
# Stands before the real mlsieve on PATH, inside SLURM jobs. The first step of three datasets goes wrong as jobs on a
# cluster do, once; $FAULTS/prepare.log tells what each job was given. Everything else is left to the real command.
#   FAULTS        folder of what has happened
#   REAL          the real command
#   FAILS         dataset whose step ends with an error
#   NEEDS_MEMORY  dataset whose step takes 1.4 times the memory of the first job that tries it, each time
#   TAKES_LONG    dataset whose step takes longer than its time limit
[ "$1" = prepare ] || exec "$REAL" "$@"

job=$(scontrol show job --oneliner "$SLURM_JOB_ID")
echo "DataSet=$2 $job" >>"$FAULTS/prepare.log"
megabytes=$(echo "$job" | sed -n -e 's/.*MinMemoryNode=\([0-9]*\)M.*/\1/p' -e 's/.*MinMemoryNode=\([0-9]*\)G.*/\1 * 1024/p')

case $2 in
  "$FAILS")
    if mkdir "$FAULTS/failed" 2>/dev/null; then
      echo "mlsieve: the disk of this node has a cough" >&2
      exit 1
    fi
    ;;
  "$NEEDS_MEMORY")
    [ -s "$FAULTS/megabytes" ] || echo $(($megabytes * 14 / 10)) >"$FAULTS/megabytes"
    "$PYTHON" -c 'import sys, time; taken = b"x" * (int(sys.argv[1]) << 20); time.sleep(3)' "$(cat "$FAULTS/megabytes")"
    ;;
  "$TAKES_LONG")
    if mkdir "$FAULTS/late" 2>/dev/null; then
      scontrol update JobId="$SLURM_JOB_ID" TimeLimit=1 # minute: SLURM's smallest
      sleep 600
    fi
    ;;
esac
exec "$REAL" "$@"
