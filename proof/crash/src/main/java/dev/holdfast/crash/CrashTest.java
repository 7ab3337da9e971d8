package dev.holdfast.crash;

import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Kills a writing process repeatedly at random moments: while it works, while it recovers, while it
 * closes. The data that each next process finds is compared with the answers that the callers of
 * earlier processes received. Owned by one thread.
 */
public final class CrashTest {

  private static final int CELL_COUNT = 32;
  private static final int CALLER_COUNT = 12;

  /** Above this size the test continues in a new directory: a long test must not fill the disk. */
  private static final long DIRECTORY_BYTES_MAX = 512L << 20;

  /** Far longer than any step may take: a child that is silent for this long hangs. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(60);

  private final Settings settings;
  private final PrintStream out;
  private final SplittableRandom random;
  private History history;
  private CrashSettings current;
  private Result result = new Result(0, 0, 0, 0, List.of());
  private long openMillis = 200;
  private int generation;

  /**
   * Prepares a test.
   *
   * @param settings the settings
   * @param out receives progress and findings
   */
  public CrashTest(Settings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    this.random = new SplittableRandom(settings.seed());
    this.current = generationSettings();
    this.history = new History(current.workload());
  }

  /**
   * The settings of a test.
   *
   * @param directory the parent of the data directories; deleted if no promise was broken
   * @param seed the seed of the writes and of the times of the kills
   * @param duration the duration of the test
   * @param killsMax the maximum number of kills
   * @param storage where objects keep their data
   */
  public record Settings(
      Path directory, long seed, Duration duration, int killsMax, CrashStorage storage) {}

  /**
   * The findings.
   *
   * @param kills processes killed
   * @param killsInRecovery of these, while they opened the directory
   * @param writes steps that were answered
   * @param checks objects compared with their expected state
   * @param violations promises that were broken; empty if there are none
   */
  public record Result(
      int kills, int killsInRecovery, long writes, long checks, List<String> violations) {}

  /** The time at which a process is ended. */
  private enum End {
    WORKING,
    RECOVERING,
    CLOSING,
    CLOSED
  }

  /**
   * Runs the test.
   *
   * @return the findings
   */
  public Result run() {
    long endNanos = System.nanoTime() + settings.duration().toNanos();
    while (result.kills() < settings.killsMax()
        && System.nanoTime() < endNanos
        && history.violations().isEmpty()) {
      round(chooseEnd());
      if (history.violations().isEmpty() && directoryBytes() > DIRECTORY_BYTES_MAX) {
        finishGeneration();
        current = generationSettings();
        history = new History(current.workload());
      }
    }
    finishGeneration();
    return result;
  }

  private End chooseEnd() {
    int percent = random.nextInt(100);
    if (percent < 65) {
      return End.WORKING;
    }
    if (percent < 80) {
      return End.RECOVERING;
    }
    return percent < 95 ? End.CLOSING : End.CLOSED;
  }

  /** Reads the data that the last kill has left, and reads it again after an orderly close. */
  private void finishGeneration() {
    if (history.violations().isEmpty()) {
      round(End.CLOSED);
    }
    if (history.violations().isEmpty()) {
      round(End.CLOSED);
    }
    result =
        new Result(
            result.kills(),
            result.killsInRecovery(),
            result.writes() + history.answeredCount(),
            result.checks() + history.checkedCount(),
            List.copyOf(history.violations()));
    if (history.violations().isEmpty()) {
      delete(Path.of(current.directory()));
      deleteFile(Path.of(current.directory() + ".past"));
    }
  }

  private void round(End end) {
    try (ChildJvm child = ChildJvm.start(CrashHost.class, current.toArguments())) {
      Session session = new Session(child);
      switch (end) {
        case RECOVERING -> {
          session.until(CrashReport.OPENING);
          session.during(Duration.ofMillis(random.nextLong(openMillis + openMillis / 4 + 2)));
        }
        case WORKING -> {
          session.until(CrashReport.TOLD);
          session.during(Duration.ofMillis(random.nextLong(20, 2_000)));
        }
        case CLOSING -> {
          session.until(CrashReport.TOLD);
          session.during(Duration.ofMillis(random.nextLong(20, 600)));
          child.say("close");
          session.until(CrashReport.CLOSING);
          session.during(Duration.ofMillis(random.nextLong(60)));
        }
        case CLOSED -> {
          session.until(CrashReport.TOLD);
          session.during(Duration.ofMillis(random.nextLong(20, 300)));
          child.say("close");
          session.until(CrashReport.CLOSED);
        }
      }
      boolean recovering = !session.opened;
      if (end == End.CLOSED) {
        session.toTheEnd();
        session.expectExit(child.exitCode() == 0);
      } else {
        child.kill();
        session.toTheEnd();
        session.expectExit(child.wasKilled() || child.exitCode() == 0);
        killed(child, recovering);
      }
    }
  }

  private void killed(ChildJvm child, boolean recovering) {
    if (child.wasKilled()) {
      result =
          new Result(
              result.kills() + 1,
              result.killsInRecovery() + (recovering ? 1 : 0),
              result.writes(),
              result.checks(),
              List.of());
    }
    if (result.kills() % 10 == 0) {
      out.printf(
          "%,d kills, %,d steps answered, %,d objects checked%n",
          result.kills(),
          result.writes() + history.answeredCount(),
          result.checks() + history.checkedCount());
    }
  }

  /** One child from its start to its end: its lines are added to the history. */
  private final class Session {

    private final ChildJvm child;
    private final Snapshot snapshot = new Snapshot();
    private long openingNanos;
    private boolean opened;

    Session(ChildJvm child) {
      this.child = child;
    }

    /** Reads until the child sends a line, or ends. */
    void until(String wanted) {
      long deadlineNanos = System.nanoTime() + SILENCE_MAX.toNanos();
      Optional<String> line = Optional.empty();
      while (!child.ended() && !line.equals(Optional.of(wanted))) {
        line = child.nextLine(SILENCE_MAX);
        line.ifPresent(this::take);
        if (line.isEmpty() && System.nanoTime() > deadlineNanos) {
          history.broken("the child did not print " + wanted + " within " + SILENCE_MAX);
          return;
        }
      }
      if (child.ended() && !line.equals(Optional.of(wanted))) {
        history.broken("the child ended before it printed " + wanted);
      }
    }

    /** Reads for a while. */
    void during(Duration time) {
      long endNanos = System.nanoTime() + time.toNanos();
      for (long left = time.toNanos(); left > 0 && !child.ended(); ) {
        child.nextLine(Duration.ofNanos(left)).ifPresent(this::take);
        left = endNanos - System.nanoTime();
      }
    }

    void toTheEnd() {
      while (!child.ended()) {
        child.nextLine(SILENCE_MAX).ifPresent(this::take);
      }
    }

    void expectExit(boolean expected) {
      if (!expected) {
        history.broken("the child ended with exit code " + child.exitCode());
      }
    }

    private void take(String line) {
      switch (line) {
        case CrashReport.OPENING -> openingNanos = System.nanoTime();
        case CrashReport.OPENED -> {
          opened = true;
          openMillis = Duration.ofNanos(System.nanoTime() - openingNanos).toMillis();
        }
        case CrashReport.TOLD -> history.check(snapshot);
        case CrashReport.CLOSING, CrashReport.CLOSED -> {}
        default -> {
          String[] words = line.split(" ", -1);
          if (!snapshot.take(words)) {
            history.take(words);
          }
        }
      }
    }
  }

  private CrashSettings generationSettings() {
    generation++;
    return new CrashSettings(
        settings.directory().resolve("data-" + generation).toString(),
        settings.seed() + generation,
        CELL_COUNT,
        CALLER_COUNT,
        settings.storage());
  }

  private long directoryBytes() {
    return bytes(Path.of(current.directory()));
  }

  /** {@return the size of all files; 0 if a kill came before the directory was made} */
  static long bytes(Path directory) {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteFile(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path directory) {
    try {
      FileTree.delete(new FileDisk(), directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
