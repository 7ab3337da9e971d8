package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs remember at every commit a bookmark and all that the object holds, and later come
 * back to random ones, in random order, across restarts.
 */
class PastStatesTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int COMMITS = LONG ? 50_000 : 400;
  private static final int OBJECTS = 2;
  private static final int SEEDS = LONG ? 1 : 2;

  @TempDir private Path directory;

  /** What the test remembers of a moment. */
  private record Moment(String bookmark, String content, Instant time) {}

  @ParameterizedTest
  @EnumSource
  void everyRememberedStateComesBack(Engine engine) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      new Program(engine, directory.resolve("seed-" + seed), seed).run();
    }
  }

  @ParameterizedTest
  @EnumSource
  void historyStaysWhileItIsRead(Engine engine) {
    Settings settings = new Settings(new VirtualClock(), new FileDisk(), 256 << 10, Long.MAX_VALUE);
    try (RecoverableObjects objects = new RecoverableObjects(directory, engine, settings)) {
      ObjectKey key = RecoverableObjects.object(1);
      ObjectStore store = objects.begin(key);
      objects.commit(key, store, turn -> turn.put(new byte[] {1}, new byte[] {1}));
      objects.journal.awaitDurable(objects.journal.lastPosition());
      long position = objects.journal.durablePosition();
      String bookmark = objects.recovery.bookmark(key, position, /* withNextBatch= */ false);
      objects.commit(key, store, turn -> turn.put(new byte[] {1}, new byte[] {2}));
      objects.journal.awaitDurable(objects.journal.lastPosition());
      List<Long> floors = new ArrayList<>();

      objects
          .recovery
          .laterThan(key, bookmark)
          .newestFirst(_ -> floors.add(objects.recovery.historyFloor()));

      assertThat(floors).containsExactly(position + 1);
      assertThat(objects.recovery.historyFloor()).isEqualTo(Long.MAX_VALUE);
      store.release();
    }
  }

  private static final class Program {
    private final Engine engine;
    private final Path directory;
    private final String name;
    private final Random random;
    private final boolean hasSql;
    private final VirtualClock clock = new VirtualClock();
    private final RandomObject changes;
    private final List<List<Moment>> moments = new ArrayList<>();
    private final List<ObjectStore> sessions = new ArrayList<>();
    private RecoverableObjects objects;

    Program(Engine engine, Path directory, int seed) {
      this.engine = engine;
      this.directory = directory;
      this.name = engine + ", seed " + seed + ", step ";
      this.random = new Random(seed);
      this.hasSql = engine == Engine.SQLITE;
      this.changes = new RandomObject(random, hasSql);
      this.objects = open();
    }

    private RecoverableObjects open() {
      return new RecoverableObjects(
          directory,
          engine,
          new Settings(clock, new FileDisk(), /* segmentBytes= */ 256 << 10, Long.MAX_VALUE));
    }

    void run() {
      for (int number = 0; number < OBJECTS; number++) {
        moments.add(new ArrayList<>());
        sessions.add(objects.begin(RecoverableObjects.object(number)));
        remember(number, "");
      }
      for (int step = 0; step < COMMITS; step++) {
        clock.advance(Duration.ofMillis(random.nextInt(3)));
        int number = random.nextInt(OBJECTS);
        int dice = random.nextInt(100);
        if (dice < 90) {
          commit(number);
        } else if (dice < 98) {
          restore(number, step);
        } else {
          restart();
        }
      }
      for (int number = 0; number < OBJECTS; number++) {
        for (int i = 0; i < 20; i++) {
          restore(number, COMMITS + i);
        }
      }
      objects.close();
    }

    private void remember(int number, String content) {
      ObjectKey key = RecoverableObjects.object(number);
      objects.journal.awaitDurable(objects.journal.lastPosition());
      String bookmark = objects.recovery.bookmark(key, objects.journal.durablePosition(), false);
      Instant now = Instant.ofEpochMilli(clock.wallMillis());
      moments.get(number).add(new Moment(bookmark, content, now));
    }

    private void commit(int number) {
      ObjectStore store = sessions.get(number);
      StoreTurn turn = store.beginTurn();
      changes.change(turn);
      if (random.nextInt(20) == 0) {
        turn.discard();
        return;
      }
      turn.seal();
      remember(number, Content.of(store, hasSql));
    }

    private void restore(int number, int step) {
      ObjectKey key = RecoverableObjects.object(number);
      List<Moment> past = moments.get(number);
      Moment target = past.get(random.nextInt(past.size()));
      String bookmark = random.nextInt(4) == 0 ? at(number, target) : target.bookmark();
      clock.advance(Duration.ofMillis(1));
      String before = Content.of(sessions.get(number), hasSql);
      String undo = objects.recovery.requestRestore(key, bookmark).undoBookmark();
      if (random.nextInt(4) == 0) {
        restart();
      } else {
        sessions.get(number).release();
        sessions.set(number, objects.begin(key));
      }
      check(number, target.content(), name + step);
      clock.advance(Duration.ofMillis(1));
      past.add(new Moment(undo, before, Instant.MIN));
      remember(number, target.content());
    }

    /** The bookmark of a time is as good, if nothing happened later in that millisecond. */
    private String at(int number, Moment target) {
      Moment last = target;
      for (Moment each : moments.get(number)) {
        if (each.time().equals(target.time())) {
          last = each;
        }
      }
      return last.content().equals(target.content()) && !target.time().equals(Instant.MIN)
          ? objects.recovery.bookmarkAt(RecoverableObjects.object(number), target.time())
          : target.bookmark();
    }

    private void restart() {
      sessions.forEach(ObjectStore::release);
      objects.close();
      objects = open();
      for (int number = 0; number < OBJECTS; number++) {
        sessions.set(number, objects.begin(RecoverableObjects.object(number)));
      }
    }

    private void check(int number, String expected, String where) {
      ObjectStore store = sessions.get(number);
      assertThat(Content.of(store, hasSql)).as(where).isEqualTo(expected);
      if (hasSql) {
        StoreTurn turn = store.beginTurn();
        try {
          assertThat(Content.rows(turn, "PRAGMA quick_check").getFirst()[0])
              .as(where)
              .isEqualTo("ok");
        } finally {
          turn.discard();
        }
      }
    }
  }
}
