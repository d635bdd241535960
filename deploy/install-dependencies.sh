#!/usr/bin/env bash
# Installs what Kernelsmith needs on Debian 12, with apt alone. Does nothing if all is there.
#
#   deploy/install-dependencies.sh            to build and run
#   deploy/install-dependencies.sh --tests    the same, and what the tests and checks need
#   deploy/install-dependencies.sh --bench    the same, and what the memory is compared with (tests/bench/run memory_peers)
set -euo pipefail

packages=(
  # build
  build-essential cmake ninja-build ccache pkg-config git ca-certificates
  # libraries
  libgrpc++-dev protobuf-compiler-grpc protobuf-compiler libprotobuf-dev libabsl-dev librocksdb-dev
  libcurl4-openssl-dev prometheus-cpp-dev nlohmann-json3-dev libyaml-cpp-dev libcli11-dev libspdlog-dev libssl-dev
  # the experience memory: bitmaps, token counts of SentencePiece models, allocation from many threads
  libroaring-dev libsentencepiece-dev libjemalloc-dev
  # the emulated CANN: fibers, and the compiler behind its driver
  libboost-context-dev clang-16 lld-16
  # the cpu target: compiler of candidates, jail, reference (PyTorch with an optimised BLAS, so that the baseline is fair)
  g++ bubblewrap util-linux python3 python3-torch python3-numpy python3-yaml libopenblas0-pthread procps
)
tests=(libgtest-dev libgmock-dev libbenchmark-dev libhnswlib-dev libcpp-httplib-dev prometheus clang clang-format clang-tidy)

case "${1:-}" in
  --tests) packages+=("${tests[@]}") ;;
  --bench) packages+=("${tests[@]}" libsqlite3-dev libxapian-dev libfaiss-dev libpq-dev postgresql) ;;
  "") ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "install-dependencies: unknown option '$1'; see --help" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

echo "Installing ${#missing[@]} packages: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install-dependencies: not root and no sudo; run as root once" >&2; exit 1; }
  sudo=(sudo)
fi
# Installing prometheus would start a server on port 9090; a policy file keeps apt from starting services meanwhile.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
  "${sudo[@]}" chmod +x "$policy"
  trap '"${sudo[@]}" rm -f "$policy"' EXIT
fi
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
