#!/usr/bin/env bash
# Measures the figures of docs/benchmarks.md, but for the journal alone; for a machine that does
# nothing else. Usage: benchmarks/run-figures.sh [JSON file] [options of the benchmarks]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
json=${1:-$root/benchmarks/target/figures.json}
shift || true
java=${JAVA25_HOME:-${JAVA_HOME:-}}/bin/java
[[ -x $java ]] && "$java" -version 2>&1 | grep -q 'version "\(2[5-9]\|[3-9][0-9]\)' || {
  echo "Set JAVA25_HOME or JAVA_HOME to a JDK 25." >&2
  exit 1
}
cd "$root"
if [[ ! -d benchmarks/target/lib ]]; then
  ./mvnw -q -Dmaven.test.skip=true -pl benchmarks -am package
fi
# A heap and a collector that are the same everywhere: the defaults depend on the machine. On two
# processors the serial collector takes least from what is measured, on every side.
exec "$java" -Xmx1g -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
  --class-path "benchmarks/target/classes:benchmarks/target/lib/*" \
  dev.holdfast.benchmarks.BenchmarkMain figures --data benchmarks/target/data --json "$json" "$@"
