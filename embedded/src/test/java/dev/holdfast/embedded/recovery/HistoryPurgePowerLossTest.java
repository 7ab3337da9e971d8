package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.faults.SilentLog;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power is cut at steps that a purge makes on the disk: those of the object's last batch, of
 * the journal and of the object's file (a sample of them in the default build). No step loses what
 * stays; a purge that has ended has removed everything; one that has not is done by the next.
 */
final class HistoryPurgePowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int CUTS = LONG ? Integer.MAX_VALUE : 7;
  private static final int IMAGES = LONG ? 3 : 1;

  private static final String SECRET = "Zq7-forgotten-4Xw9";
  private static final Duration WINDOW = Duration.ofDays(30);

  @TempDir Path directory;

  @Test
  void purgeIsWholeOrDoneByTheNextWhereverThePowerIsCut() throws IOException {
    long steps = new Purge(Long.MAX_VALUE).steps;
    assertThat(steps).isGreaterThan(20);
    long distance = Math.max(1, steps / CUTS);
    for (long cut = 0; cut <= steps; cut += distance) {
      Purge purge = new Purge(cut);
      for (int seed = 0; seed < IMAGES; seed++) {
        Path image = Files.createDirectory(directory.resolve("image-" + cut + "-" + seed));
        purge.disk.writeCrashImage(image, seed);
        purge.check(
            image, "cut after step " + cut + " (" + purge.disk.lastStep() + "), image " + seed);
      }
    }
  }

  private static List<Path> filesWithSecret(Path where) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(where)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET)) {
          found.add(where.relativize(file));
        }
      }
    }
    return found;
  }

  /** One purge, until it is done or the power is off. */
  private final class Purge {
    final PowerLossDisk disk;
    final long steps;
    private final boolean done;

    Purge(long cut) throws IOException {
      Path root = Files.createDirectory(directory.resolve("cut-" + cut));
      disk = new PowerLossDisk(root);
      Opened opened = new Opened(root, disk);
      opened.fill();
      long begun = disk.steps();
      long allowed = cut == Long.MAX_VALUE ? cut : begun + cut;
      disk.cutPowerAfter(allowed);
      done = opened.isPurged(() -> disk.steps() < allowed);
      steps = disk.steps() - begun;
      try {
        opened.close();
      } catch (HoldfastException e) {
        assertThat(e).hasStackTraceContaining("The power is off");
      }
    }

    void check(Path image, String what) throws IOException {
      if (done) {
        assertThat(filesWithSecret(image)).as(what).isEmpty();
      }
      try (Opened opened = new Opened(image, new PowerLossDisk(image))) {
        opened.checkWhatStays(what);
        assertThat(opened.isPurged(() -> true)).as(what).isTrue();
        // A runtime renames and deletes files in the background.
        Path copy = image.resolveSibling(image.getFileName() + "-copy");
        CopyAtRest.of(image, copy);
        assertThat(filesWithSecret(copy)).as(what).isEmpty();
        opened.checkWhatStays(what);
      }
      try (Opened opened = new Opened(image, new PowerLossDisk(image))) {
        opened.checkWhatStays(what);
      }
      assertThat(filesWithSecret(image)).as(what).isEmpty();
    }
  }

  /** A runtime with small segments. */
  private static final class Opened implements AutoCloseable {
    final VirtualClock clock = new VirtualClock();
    final ObjectRuntime runtime;

    Opened(Path data, Disk disk) {
      EngineBuilder engine =
          new EngineBuilder(
              objects -> objects.namespace("things", Scripted.class, Scripted::withAlarm));
      StorageThreads threads = new StorageThreads(2);
      FileJournal journal =
          FileJournal.open(
              data.resolve("journal"),
              clock,
              JournalOptions.DEFAULT
                  .withDisk(disk)
                  .withSegmentBytes(32 << 10)
                  .withHistory(new HistoryOptions(WINDOW.toMillis(), Long.MAX_VALUE)));
      SqliteBackend sqlite =
          new SqliteBackend(
              journal, threads, clock, disk, new SqliteOptions(data.resolve("sqlite"), 10));
      JournaledRecovery recovery =
          new JournaledRecovery(journal, journal.history(), clock, _ -> WINDOW);
      sqlite.recover(journal.recoveryLog());
      recovery.recover(journal.recoveryLog());
      journal.start(List.of(sqlite, recovery));
      runtime =
          engine
              .backend(StorageKind.SQLITE, sqlite)
              .recovery(recovery)
              .closeLast(threads)
              .log(new SilentLog())
              .open(journal, clock, new Random(1));
    }

    private Scripted thing(String name) {
      return runtime.namespace("things", Scripted.class).getByName(name);
    }

    private void put(String name, String key, String value) {
      Scripted.in(
          thing(name),
          context -> {
            context.storage().put(key, value);
            context.storage().sql().exec("CREATE TABLE IF NOT EXISTS t (a)");
            context.storage().sql().exec("INSERT INTO t VALUES (?)", value);
            return true;
          });
    }

    void fill() {
      for (int each = 0; each < 3; each++) {
        put("a", "key" + each, SECRET.repeat(200));
        put("b", "key" + each, "other".repeat(200));
      }
      Scripted.in(
          thing("a"),
          context -> {
            context.storage().deleteAll();
            return true;
          });
      put("a", "key", "stays");
    }

    void checkWhatStays(String what) {
      assertThat(content("a")).as(what).isEqualTo("[stays] 1");
      assertThat(content("b")).as(what).contains("other").endsWith(" 3");
    }

    private String content(String name) {
      return Scripted.in(
          thing(name),
          context ->
              context.storage().list(String.class).values()
                  + " "
                  + context.storage().sql().exec("SELECT count(*) FROM t").raw().one().getFirst());
    }

    /**
     * Purges, and lets the time pass in which the journal tries again.
     *
     * @param hasPower whether that makes sense
     */
    boolean isPurged(BooleanSupplier hasPower) {
      ObjectId id = runtime.namespace("things", Scripted.class).idFromName("a");
      try {
        CompletableFuture<Void> purge = runtime.admin().purgeHistory("things", id);
        while (!purge.isDone() && hasPower.getAsBoolean()) {
          clock.advance(Duration.ofSeconds(1));
          Thread.yield();
        }
        if (!purge.isDone()) {
          return false;
        }
        purge.join();
        return true;
      } catch (HoldfastException | CompletionException e) {
        assertThat(e).hasStackTraceContaining("The power is off");
        return false;
      }
    }

    @Override
    public void close() {
      runtime.close();
    }
  }
}
