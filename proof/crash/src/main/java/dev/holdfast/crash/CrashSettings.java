package dev.holdfast.crash;

import java.util.List;

/**
 * The settings that a crash test and its children share.
 *
 * @param directory the data directory
 * @param seed the seed of plan and schedule
 * @param cellCount the number of cells
 * @param callerCount the number of concurrent callers
 * @param storage where objects keep their data
 */
record CrashSettings(
    String directory, long seed, int cellCount, int callerCount, CrashStorage storage) {

  Workload workload() {
    return new Workload(seed, cellCount, storage);
  }

  List<String> toArguments() {
    return List.of(
        directory,
        String.valueOf(seed),
        String.valueOf(cellCount),
        String.valueOf(callerCount),
        storage.name());
  }

  static CrashSettings ofArguments(String[] arguments) {
    return new CrashSettings(
        arguments[0],
        Long.parseLong(arguments[1]),
        Integer.parseInt(arguments[2]),
        Integer.parseInt(arguments[3]),
        CrashStorage.valueOf(arguments[4]));
  }
}
