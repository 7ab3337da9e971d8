package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.HoldfastException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.power.DatabaseImages;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The power is cut at steps on the disk while objects are changed, restored and saved in the
 * background, and lose their oldest history. Afterwards each object has the answered state, or that
 * of the step in progress, never a mixture; a requested restore is done; remembered states can be
 * restored.
 *
 * <p>The seed determines the object's work; the background also depends on the threads. So a
 * failure keeps its directories: the written files, and their image.
 */
final class RestorePowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long FIRST_SEED = Long.getLong("power.seed", 1);
  private static final long SEEDS = Long.getLong("power.seeds", LONG ? 300 : 2);

  /** Of each seed; half of them early, while the first files are made. */
  private static final int CUTS = Integer.getInteger("power.cuts", LONG ? 12 : 8);

  private static final int EARLY_STEPS = 40;
  private static final int STEPS = 120;
  private static final int HISTORY_SEGMENTS = 3;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @ParameterizedTest
  @MethodSource("seeds")
  void objectIsAsAnsweredOrAsTheStepInFlightLeavesIt(Engine engine, long seed) throws IOException {
    Program undisturbed = new Program(engine, data("undisturbed"), Long.MAX_VALUE, seed);
    undisturbed.run();
    assertThat(undisturbed.restoreCount).isPositive();
    long total = undisturbed.disk.steps();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < CUTS; i++) {
      long cut = random.nextLong(i % 2 == 0 ? total : Math.min(total, EARLY_STEPS));
      Path place = directory.resolve("cut-" + i);
      Program program = new Program(engine, data("cut-" + i), cut, seed);
      program.run();
      program.check(place.resolve("image"), cut);
      delete(place);
    }
  }

  static Stream<Arguments> seeds() {
    return Stream.of(Engine.values())
        .flatMap(
            engine ->
                LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS)
                    .mapToObj(seed -> Arguments.of(engine, seed)));
  }

  /**
   * Otherwise the cases above would not test what they should. One program may meet dropped history
   * or not by chance; of many programs some must.
   */
  @ParameterizedTest
  @EnumSource
  void historyIsDroppedMeanwhile(Engine engine) throws IOException {
    int notKept = 0;
    for (long seed = FIRST_SEED; notKept == 0 && seed < FIRST_SEED + 50; seed++) {
      Program program = new Program(engine, data("dropped-" + seed), Long.MAX_VALUE, seed);
      program.run();
      notKept = program.notKeptCount;
    }
    assertThat(notKept).isPositive();
  }

  private Path data(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name).resolve("data"));
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private record Moment(String bookmark, String content) {}

  private static final class Program {
    private static final ObjectKey KEY = RecoverableObjects.object(1);

    private final Engine engine;
    private final Path data;
    private final PowerLossDisk disk;
    private final DatabaseImages images;
    private final VirtualClock clock = new VirtualClock();
    private final long seed;
    private final Random random;
    private final RandomObject changes;
    private final List<Moment> moments = new ArrayList<>();
    private String answered = "";
    private String inFlight = "";
    int restoreCount;
    int notKeptCount;

    Program(Engine engine, Path data, long cut, long seed) throws IOException {
      this.engine = engine;
      this.data = data;
      this.images = new DatabaseImages(RecoverableObjects.rocksDb(data));
      this.seed = seed;
      this.random = new Random(seed);
      this.changes = new RandomObject(random, hasSql());
      this.disk = new PowerLossDisk(data);
      disk.cutPowerAfter(cut);
    }

    private boolean hasSql() {
      return engine == Engine.SQLITE;
    }

    /** Batches of pairs are smaller than those of pages, and so are the segments here. */
    private RecoverableObjects open(Path place, Disk seen, UnaryOperator<JournalView> watch) {
      long segmentBytes = hasSql() ? 32 << 10 : 16 << 10;
      return new RecoverableObjects(
          place,
          engine,
          new Settings(clock, seen, segmentBytes, HISTORY_SEGMENTS * segmentBytes, watch));
    }

    void run() {
      try (RecoverableObjects objects = open(data, disk, this::watched)) {
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
        assertThat(e).hasStackTraceContaining("The power is off");
      }
    }

    private JournalView watched(JournalView backend) {
      return hasSql() ? backend : images.watched(backend);
    }

    private void commit(RecoverableObjects objects, ObjectStore store) {
      StoreTurn turn = store.beginTurn();
      changes.change(turn);
      inFlight = Content.of(turn, hasSql());
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
      assertThat(Content.of(next, hasSql())).isEqualTo(answered);
      return next;
    }

    void check(Path image, long cut) throws IOException {
      Files.createDirectories(image);
      disk.writeCrashImage(image, seed * 1_000_003 + cut);
      if (!hasSql() && Files.exists(RecoverableObjects.rocksDb(data))) {
        images.writeCrashImage(RecoverableObjects.rocksDb(image), seed * 1_000_003 + cut);
      }
      String where =
          engine + ", seed " + seed + ", cut after " + cut + " (" + disk.lastStep() + ")";
      try (RecoverableObjects objects = open(image, new FileDisk(), view -> view)) {
        ObjectStore store = objects.begin(KEY);
        assertThat(Content.of(store, hasSql())).as(where).isIn(answered, inFlight);
        Random choice = new Random(cut);
        for (int i = 0; i < 5 && !moments.isEmpty(); i++) {
          Moment target = moments.get(choice.nextInt(moments.size()));
          if (tryRequest(objects, target)) {
            store.release();
            store = objects.begin(KEY);
            assertThat(Content.of(store, hasSql())).as(where).isEqualTo(target.content());
          }
        }
        if (hasSql()) {
          StoreTurn turn = store.beginTurn();
          assertThat(Content.rows(turn, "PRAGMA quick_check").getFirst()[0]).isEqualTo("ok");
          turn.discard();
        }
      }
    }

    /** {@return whether the request was accepted; dropped history is refused} */
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
