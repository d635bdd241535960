#!/usr/bin/env bash
# Configures and builds the release preset. Arguments are build targets; without any, everything is built.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
options=()
[ "${KERNELSMITH_TESTS:-ON}" = OFF ] && options+=(-DKERNELSMITH_TESTS=OFF) || options+=(-DKERNELSMITH_TESTS=ON)
cmake --preset release "${options[@]}" >build-configure.log 2>&1 || { cat build-configure.log >&2; rm -f build-configure.log; exit 1; }
rm -f build-configure.log
if [ "$#" -gt 0 ]; then
  cmake --build --preset release --target "$@"
else
  cmake --build --preset release
fi
