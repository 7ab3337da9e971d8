package dev.holdfast.embedded.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.Event;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.LongStream;
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
      try (SmallSegments opened = new SmallSegments(root, disk)) {
        consume(opened, "index", handled);
        for (int turn = 0; turn < TURNS; turn++) {
          answered = opened.counter().increment();
          if (turn % 3 == 2) {
            opened.counter().repeat();
          }
          while (turn % 4 == 3 && disk.steps() < cut && !handled.contains(answered)) {
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
      try (SmallSegments opened = new SmallSegments(image, new FileDisk())) {
        boolean isKnown = !opened.runtime.admin().consumers().isEmpty();
        consume(opened, "all", all);
        consume(opened, "index", index);
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

    private static void consume(SmallSegments opened, String name, Collection<Long> target) {
      opened.runtime.consume(
          EmittingCounter.TOPIC,
          name,
          Long.class,
          TWO,
          events -> events.stream().map(Event::value).forEach(target::add));
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
}
