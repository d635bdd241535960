#!/usr/bin/env bash
# Installs what is missing, builds everything, runs the checks and all tests.
#
#   deploy/test.sh             everything
#   deploy/test.sh -L fast     arguments go to ctest
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/install-dependencies.sh --tests
deploy/build.sh
deploy/lint.sh
exec ctest --preset release --no-tests=error "$@"
