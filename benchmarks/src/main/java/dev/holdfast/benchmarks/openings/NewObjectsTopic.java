package dev.holdfast.benchmarks.openings;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.SleeperHost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * First puts of new objects in SQLite by 64 callers: 2,000 in a fresh process, 20,000 more, and
 * then the rounds that are judged; and the same in another process, of objects that begin with a
 * migration and a row.
 */
public final class NewObjectsTopic implements Topic {

  private static final int CALLERS = 64;
  private static final int FRESH = 2_000;
  private static final int WARM = 20_000;
  private static final int EACH = 6_000;
  private static final int VALUE_BYTES = 100;
  private static final String MIGRATED = "with a migration and a row";

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    Files.createDirectories(directory);
    List<Measured> all = written(directory.resolve("keys"), rounds, "a key");
    List<Measured> rows = written(directory.resolve("rows"), rounds, MIGRATED);
    Series fresh = new Series("Holdfast, the first 2,000 of a process", all.subList(0, 1));
    Series warm = new Series("Holdfast, after 22,000", all.subList(2, all.size() - 1));
    report.add(
        "new objects, 64 callers; syncs are those beyond the journal's",
        List.of(
            fresh,
            warm,
            new Series("Holdfast, after 22,000, " + MIGRATED, rows.subList(2, rows.size() - 1))));
    report.judge(
        "new objects, SQLite, the first 2,000 of a process, us of processor time each",
        fresh.of(Measured::cpuMicrosPerOperation));
    report.judge("new objects, SQLite, a second, 64 callers", warm.of(Measured::perSecond));
    report.judge(
        "new objects, SQLite, us of processor time each", warm.of(Measured::cpuMicrosPerOperation));
    // Objects are also saved later, by the close at the latest.
    report.judge(
        "new objects, SQLite, syncs each beyond the journal's",
        Spread.of(List.of(all.getLast().syncsPerOperation())));
  }

  private static List<Measured> written(Path directory, Rounds rounds, String what)
      throws Exception {
    List<Measured> all = new ArrayList<>();
    for (String line :
        FreshJvm.run(
            Writer.class, List.of(), List.of(directory.toString(), "" + rounds.count(), what))) {
      String[] numbers = line.split(" ", -1);
      all.add(
          new Measured(
              Long.parseLong(numbers[0]),
              Long.parseLong(numbers[1]),
              Long.parseLong(numbers[2]),
              Long.parseLong(numbers[3]),
              0,
              0));
    }
    return all;
  }

  /**
   * The process that writes. A line for each round has objects, nanoseconds, processor time and
   * syncs; the last line counts all, with the close.
   */
  static final class Writer {

    private Writer() {}

    public static void main(String[] arguments) throws Exception {
      MeasuredDisk disk = new MeasuredDisk();
      boolean isMigrated = arguments[2].equals(MIGRATED);
      int from = 0;
      long groups;
      try (DurableHost host = DurableHost.open(Path.of(arguments[0]), disk)) {
        from = round(host, disk, isMigrated, from, FRESH);
        from = round(host, disk, isMigrated, from, WARM);
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
          from = round(host, disk, isMigrated, from, EACH);
        }
        groups = host.runtime().statistics().journal().groups();
      }
      System.out.println(from + " 1 0 " + (disk.syncCount() - groups));
      System.exit(0);
    }

    private static int round(
        DurableHost host, MeasuredDisk disk, boolean isMigrated, int from, int count)
        throws Exception {
      byte[] value = new byte[VALUE_BYTES];
      long syncs = ownSyncs(host, disk);
      long cpu = ClosedLoop.processCpuNanos();
      long start = System.nanoTime();
      SleeperHost.each(
          CALLERS,
          count,
          number -> {
            String name = "o" + (from + number);
            if (isMigrated) {
              host.migrated().getByName(name).put(1, value);
            } else {
              host.sqlitePairs(name).put("key", value);
            }
          });
      long elapsed = System.nanoTime() - start;
      System.out.println(
          count
              + " "
              + elapsed
              + " "
              + (ClosedLoop.processCpuNanos() - cpu)
              + " "
              + (ownSyncs(host, disk) - syncs));
      return from + count;
    }

    /** Without syncs of the journal's groups. */
    private static long ownSyncs(DurableHost host, MeasuredDisk disk) {
      return disk.syncCount() - host.runtime().statistics().journal().groups();
    }
  }
}
