package dev.holdfast.embedded.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.Event;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power is cut before steps that a runtime makes on its disk (a sample of them in the default
 * build). Afterwards the events are those of the turns that are left, each consumer gets all of
 * them, and only those after its place are repeated.
 */
final class OutboxPowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int CUTS = LONG ? Integer.MAX_VALUE : 16;
  private static final int TURNS = 12;
  private static final ConsumerOptions TWO = ConsumerOptions.DEFAULT.withBatchEventsMax(2);

  @TempDir Path directory;

  @Test
  void nothingIsLostAndOnlyWhatFollowsThePlaceIsRepeated() throws IOException {
    long steps = new Run(directory.resolve("whole"), Long.MAX_VALUE).disk.steps();
    long distance = Math.max(1, steps / CUTS);
    for (long cut = 0; cut <= steps; cut += distance) {
      Run run = new Run(directory.resolve("cut-" + cut), cut);
      for (int seed = 0; seed < 2; seed++) {
        Path image = directory.resolve("image-" + cut + "-" + seed);
        run.disk.writeCrashImage(Files.createDirectory(image), seed);
        run.check(image, "cut after step " + cut + " (" + run.disk.lastStep() + "), image " + seed);
      }
    }
  }

  /** Counts until the power is off. */
  private static final class Run {
    final PowerLossDisk disk;
    final List<Long> handled = new CopyOnWriteArrayList<>();
    long answered;

    Run(Path root, long cut) throws IOException {
      disk = new PowerLossDisk(Files.createDirectory(root));
      disk.cutPowerAfter(cut);
      try (Opened opened = new Opened(root, disk)) {
        opened.consume("index", handled);
        for (int turn = 0; turn < TURNS; turn++) {
          answered = opened.counter().increment();
          if (turn % 3 == 2) {
            opened.counter().repeat();
          }
          while (turn % 4 == 3 && opened.isWorking() && !handled.contains(answered)) {
            Thread.yield();
          }
        }
      } catch (HoldfastException e) {
        requireOfPowerCut(e);
      }
    }

    private static void requireOfPowerCut(HoldfastException failure) {
      Throwable cause = failure;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      if (!(cause instanceof PowerLossDisk.PowerLostException)) {
        throw failure;
      }
    }

    void check(Path image, String what) {
      BlockingQueue<Long> all = new LinkedBlockingQueue<>();
      BlockingQueue<Long> index = new LinkedBlockingQueue<>();
      try (Opened opened = new Opened(image, new FileDisk())) {
        boolean isKnown = !opened.runtime.admin().consumers().isEmpty();
        opened.consume("all", all);
        opened.consume("index", index);
        long sum = opened.counter().get();
        assertThat(sum).as(what).isGreaterThanOrEqualTo(answered);
        opened.counter().increment();
        assertThat(upTo(all, sum + 1)).as(what).isEqualTo(upTo(sum + 1));
        List<Long> repeated = upTo(index, sum + 1);
        assertThat(upTo(sum + 1)).as(what).endsWith(repeated.toArray(Long[]::new));
        long handledMax = handled.stream().mapToLong(Long::longValue).max().orElse(0);
        assertThat(handledMax).as(what).isLessThanOrEqualTo(sum);
        assertThat(repeated.getFirst()).as(what).isLessThanOrEqualTo(handledMax + 1);
        if (!isKnown) {
          assertThat(repeated.getFirst()).as(what).isEqualTo(1);
        }
      }
    }

    private static List<Long> upTo(long last) {
      return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** Takes events up to a number; repeated numbers are those that were emitted with no write. */
    private static List<Long> upTo(BlockingQueue<Long> queue, long last) {
      List<Long> taken = new CopyOnWriteArrayList<>();
      long next = 0;
      while (next != last) {
        try {
          next = queue.take();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        if (taken.isEmpty() || taken.getLast() != next) {
          taken.add(next);
        }
      }
      return taken;
    }
  }

  /** A runtime with small segments. */
  private static final class Opened implements AutoCloseable {
    final ObjectRuntime runtime;
    final FileJournal journal;

    Opened(Path data, Disk disk) {
      VirtualClock clock = new VirtualClock();
      EngineBuilder engine =
          new EngineBuilder(
              objects -> objects.namespace("counters", EmittingCounter.class, EmittingCounter::of));
      StorageThreads threads = new StorageThreads(2);
      journal =
          FileJournal.open(
              data.resolve("journal"),
              clock,
              JournalOptions.DEFAULT.withDisk(disk).withSegmentBytes(32 << 10));
      SqliteBackend sqlite =
          new SqliteBackend(
              journal, threads, clock, disk, new SqliteOptions(data.resolve("sqlite"), 10));
      JournalView consumers = engine.consumers(journal, journal.history(), clock);
      sqlite.recover(journal.recoveryLog());
      consumers.recover(journal.recoveryLog());
      journal.start(List.of(sqlite, consumers));
      runtime =
          engine
              .backend(StorageKind.SQLITE, sqlite)
              .closeLast(threads)
              .log(new Silent())
              .open(journal, clock, new Random(1));
    }

    EmittingCounter counter() {
      return runtime.namespace("counters", EmittingCounter.class).getByName("a");
    }

    boolean isWorking() {
      return journal.failure() == null;
    }

    void consume(String name, Collection<Long> target) {
      runtime.consume(
          EmittingCounter.TOPIC,
          name,
          Long.class,
          TWO,
          events -> events.stream().map(Event::value).forEach(target::add));
    }

    @Override
    public void close() {
      runtime.close();
    }
  }

  /** Hundreds of power cuts would fill the log. */
  private static final class Silent implements System.Logger {

    @Override
    public String getName() {
      return "silent";
    }

    @Override
    public boolean isLoggable(Level level) {
      return false;
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String text, @Nullable Throwable thrown) {}

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {}
  }
}
