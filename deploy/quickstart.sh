#!/usr/bin/env bash
# The main job: installs what is missing, builds, starts memory, coordinator and two workers on loopback, turns one operator
# into a fast verified kernel, and stops everything.
#
#   deploy/quickstart.sh                              softmax
#   deploy/quickstart.sh configs/tasks/gelu.py        another operator; what earlier runs learned is used
#   deploy/quickstart.sh TASK --rounds 20             options of `kernelsmith submit`
#
# Experience is kept in KERNELSMITH_DATA (default: ~/.local/state/kernelsmith), kernels are written to ./kernels.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
task="${1:-configs/tasks/softmax.py}"
[ "$#" -gt 0 ] && shift

deploy/install-dependencies.sh
echo "Building"
KERNELSMITH_TESTS="${KERNELSMITH_TESTS:-OFF}" deploy/build.sh kernelsmith kernelsmith-memory kernelsmith-coordinator \
  kernelsmith-worker kernelsmith-runner >/dev/null

data=()
[ -n "${KERNELSMITH_DATA:-}" ] && data=(--data "$KERNELSMITH_DATA")
rounds=(--rounds 12)
for option in "$@"; do
  case "$option" in --rounds | --rounds=*) rounds=() ;; esac
done
name="$(basename "${task%.py}")"
exec build/release/bin/kernelsmith up --workers 2 "${data[@]}" -- \
  build/release/bin/kernelsmith submit "$task" "${rounds[@]}" --watch --out "kernels/$name" "$@"
