#!/usr/bin/env bash
# The main job: installs what is missing, builds, starts memory, coordinator and two workers on loopback, turns operators into
# fast verified kernels while you watch, and stops everything.
#
#   deploy/quickstart.sh                              softmax, RMSNorm and GELU in Ascend C on two emulated Ascend910B3 cards
#   deploy/quickstart.sh --cpu                        softmax in C++ on this machine's processor
#   deploy/quickstart.sh configs/tasks/silu.py        another operator; what earlier runs learned is used
#   deploy/quickstart.sh --cpu TASK --rounds 20       options of `kernelsmith submit`
#
# With ASCEND_HOME_PATH naming a real CANN, the cards are this machine's NPUs. Experience is kept in KERNELSMITH_DATA (default:
# ~/.local/state/kernelsmith), kernels are written to ./kernels.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=ascend
case "${1:-}" in
  -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --cpu) kind=cpu; shift ;;
esac
tasks=()
rounds=12
if [ "$#" -gt 0 ] && [ "${1#-}" = "$1" ]; then
  tasks=("$1")
  shift
elif [ "$kind" = ascend ]; then
  tasks=(configs/tasks/softmax.py configs/tasks/rms_norm.py configs/tasks/gelu.py)
  rounds=6  # each
else
  tasks=(configs/tasks/softmax.py)
fi

deploy/install-dependencies.sh
echo "Building"
KERNELSMITH_TESTS="${KERNELSMITH_TESTS:-OFF}" deploy/build.sh kernelsmith kernelsmith-memory kernelsmith-coordinator \
  kernelsmith-worker kernelsmith-runner kernelsmith-plan kernelsmith-ascend-runner emulated_cann >/dev/null

data=()
[ -n "${KERNELSMITH_DATA:-}" ] && data=(--data "$KERNELSMITH_DATA")
options=(--card-kind "$kind" --rounds "$rounds" "$@")
for option in "$@"; do
  case "$option" in --rounds | --rounds=*) options=(--card-kind "$kind" "$@") ;; esac
done

# Runs inside `up`: one job after another, so that each starts from what those before it taught.
jobs='
  n=$1; shift; tasks=("${@:1:n}"); shift "$n"
  for task in "${tasks[@]}"; do
    name="$(basename "${task%.py}")"
    build/release/bin/kernelsmith submit "$task" --watch --out "kernels/$name" "$@" || exit
  done'
exec build/release/bin/kernelsmith up --workers 2 --card-kind "$kind" "${data[@]}" -- \
  bash -c "$jobs" jobs "${#tasks[@]}" "${tasks[@]}" "${options[@]}"
