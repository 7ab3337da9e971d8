package dev.holdfast.examples.crash;

import java.util.List;

/**
 * What a crash test and its children agree on.
 *
 * @param directory the data directory
 * @param seed of plan and schedule
 * @param cellCount how many cells
 * @param callerCount how many callers at once
 */
record CrashSettings(String directory, long seed, int cellCount, int callerCount) {

  Workload workload() {
    return new Workload(seed, cellCount);
  }

  List<String> toArguments() {
    return List.of(
        directory, String.valueOf(seed), String.valueOf(cellCount), String.valueOf(callerCount));
  }

  static CrashSettings ofArguments(String[] arguments) {
    return new CrashSettings(
        arguments[0],
        Long.parseLong(arguments[1]),
        Integer.parseInt(arguments[2]),
        Integer.parseInt(arguments[3]));
  }
}
