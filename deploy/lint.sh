#!/usr/bin/env bash
# Checks that read the source: formatting, clang-tidy with clang's thread-safety analysis, Prometheus rules, the Grafana
# dashboard. REQUIRES: the release preset is configured and built (generated headers).
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cc' '*.h')
mapfile -t units < <(git ls-files '*.cc' | grep -vE '^(client/example|tests)/')  # tests have the compiler's warnings

echo "clang-format: ${#sources[@]} files"
clang-format --dry-run -Werror "${sources[@]}"

# One clang-tidy per unit, a unit that has not changed since it passed is skipped (stamp by content of unit and headers).
echo "clang-tidy: ${#units[@]} units"
stamps=build/release/tidy
mkdir -p "$stamps"
headers="$(git ls-files '*.h' '*.proto' .clang-tidy | xargs sha256sum | sha256sum | cut -c1-16)"
check() {
  local unit="$1" stamp
  stamp="$stamps/$(sha256sum "$unit" | cut -c1-32)-$headers"
  [ -e "$stamp" ] && return 0
  clang-tidy --quiet -p build/release --extra-arg=-Wthread-safety --extra-arg=-Wno-unknown-warning-option "$unit" \
    2>/dev/null || { echo "clang-tidy: $unit" >&2; return 1; }
  touch "$stamp"
}
export -f check
export stamps headers
printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0"'

echo "promtool: rules"
promtool check rules deploy/prometheus/alerts.yml
/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' deploy/grafana/kernelsmith.json
