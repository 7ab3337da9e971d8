package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.HoldfastException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.PowerLossDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power is cut at steps on the disk while objects are changed and brought back, saved in the
 * background, and lose their oldest history. Afterwards each object is as it was answered, or as
 * the step in flight would have left it, never a mixture; a requested restore is done; what was
 * remembered comes back.
 */
final class RestorePowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int CUTS = LONG ? 2_000 : 12;
  private static final int STEPS = 120;
  private static final long SEED = Long.getLong("power.seed", 1);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @Disabled("Open: about one run in ten finds a state that is neither; not yet explained")
  @Test
  void objectIsAsAnsweredOrAsTheStepInFlightLeavesIt() throws IOException {
    Program undisturbed = new Program(data("undisturbed"), Long.MAX_VALUE);
    undisturbed.run();
    assertThat(undisturbed.restoreCount).isGreaterThan(5);
    assertThat(undisturbed.notKeptCount).as("history was dropped meanwhile").isPositive();
    long total = undisturbed.disk.steps();
    for (long cut : new SplittableRandom(SEED).longs(CUTS, 0, total).distinct().toArray()) {
      Program program = new Program(data("cut-" + cut), cut);
      program.run();
      program.check(directory.resolve("image-" + cut), cut);
    }
  }

  private Path data(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name).resolve("data"));
  }

  private record Moment(String bookmark, String content) {}

  private static final class Program {
    private static final ObjectKey KEY = RecoverableObjects.object(1);

    private final Path data;
    private final PowerLossDisk disk;
    private final VirtualClock clock = new VirtualClock();
    private final Random random = new Random(SEED);
    private final RandomObject changes = new RandomObject(random, /* hasSql= */ true);
    private final List<Moment> moments = new ArrayList<>();
    private String answered = "";
    private String inFlight = "";
    int restoreCount;
    int notKeptCount;

    Program(Path data, long cut) throws IOException {
      this.data = data;
      this.disk = new PowerLossDisk(data);
      disk.cutPowerAfter(cut);
    }

    private RecoverableObjects open(Path place, Disk seen) {
      return new RecoverableObjects(
          place,
          Engine.SQLITE,
          new Settings(clock, seen, /* segmentBytes= */ 32 << 10, /* historyBytesMax= */ 96 << 10));
    }

    void run() {
      try (RecoverableObjects objects = open(data, disk)) {
        ObjectStore store = objects.begin(KEY);
        for (int step = 0; step < STEPS; step++) {
          clock.advance(Duration.ofMillis(random.nextInt(3)));
          if (random.nextInt(8) == 0 && !moments.isEmpty()) {
            store = restore(objects, store);
          } else {
            commit(objects, store);
          }
          if (random.nextInt(10) == 0) {
            objects.backend.checkpointBefore(Long.MAX_VALUE);
            objects.recovery.checkpointBefore(Long.MAX_VALUE);
          }
        }
        store.release();
      } catch (HoldfastException e) {
        assertThat(e).hasStackTraceContaining("PowerLost");
      }
    }

    private void commit(RecoverableObjects objects, ObjectStore store) {
      StoreTurn turn = store.beginTurn();
      changes.change(turn);
      inFlight = Content.of(turn, /* hasSql= */ true);
      turn.seal();
      objects.journal.awaitDurable(objects.journal.lastPosition());
      answered = inFlight;
      moments.add(
          new Moment(
              objects.recovery.bookmark(KEY, objects.journal.durablePosition(), false), answered));
    }

    private ObjectStore restore(RecoverableObjects objects, ObjectStore store) {
      Moment target = moments.get(random.nextInt(moments.size()));
      String before = answered;
      inFlight = target.content();
      String undo;
      try {
        var requested = objects.recovery.requestRestore(KEY, target.bookmark());
        objects.journal.awaitDurable(requested.position());
        undo = requested.undoBookmark();
      } catch (BookmarkException e) {
        notKeptCount++;
        inFlight = answered;
        return store;
      }
      answered = target.content();
      restoreCount++;
      moments.add(new Moment(undo, before));
      store.release();
      ObjectStore next = objects.begin(KEY);
      assertThat(Content.of(next, /* hasSql= */ true)).isEqualTo(answered);
      return next;
    }

    void check(Path image, long cut) throws IOException {
      Files.createDirectories(image);
      disk.writeCrashImage(image, SEED * 1_000_003 + cut);
      String where = "cut after " + cut + " (" + disk.lastStep() + ")";
      try (RecoverableObjects objects = open(image, new FileDisk())) {
        ObjectStore store = objects.begin(KEY);
        assertThat(Content.of(store, /* hasSql= */ true)).as(where).isIn(answered, inFlight);
        Random choice = new Random(cut);
        for (int i = 0; i < 5 && !moments.isEmpty(); i++) {
          Moment target = moments.get(choice.nextInt(moments.size()));
          if (tryRequest(objects, target)) {
            store.release();
            store = objects.begin(KEY);
            assertThat(Content.of(store, /* hasSql= */ true)).as(where).isEqualTo(target.content());
          }
        }
        StoreTurn turn = store.beginTurn();
        assertThat(Content.rows(turn, "PRAGMA quick_check").getFirst()[0]).isEqualTo("ok");
        turn.discard();
      }
    }

    /** {@return whether it was taken; what retention has dropped is not} */
    private static boolean tryRequest(RecoverableObjects objects, Moment target) {
      try {
        objects.recovery.requestRestore(KEY, target.bookmark());
        return true;
      } catch (BookmarkException e) {
        assertThat(e.reason()).isEqualTo(BookmarkException.Reason.NOT_KEPT);
        return false;
      }
    }
  }
}
