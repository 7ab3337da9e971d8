package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs remember a bookmark and the content of the object at every commit, and later
 * restore random ones, in random order, across restarts. The nightly profile makes 100,000 commits
 * with each storage engine; {@code docs/records/proofs.md} has the runs.
 */
class PastStatesTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** Of each seed. */
  private static final int COMMITS = Integer.getInteger("past.commits", LONG ? 10_000 : 400);

  private static final int FIRST_SEED = Integer.getInteger("past.seed", 1);
  private static final int SEEDS = Integer.getInteger("past.seeds", LONG ? 10 : 1);
  private static final int OBJECTS = 2;

  /** At the end of each seed, of each object. */
  private static final int LAST_RESTORES = 20;

  /** The cost of a restore grows with the history: long histories are restored less often. */
  private static final int STEPS_PER_RESTORE = LONG ? 40 : 12;

  private static final int STEPS_PER_RESTART = 50;

  @TempDir private Path directory;

  /** The remembered state at a moment. */
  private record Moment(String bookmark, String content, Instant time) {}

  /** Counts what was done, so that a program that does too little is detected. */
  private static final class Counts {
    int commits;
    int restores;
    int restarts;
    int undoParts;
    int withFreePages;

    @Override
    public String toString() {
      return "%,d commits, %,d restores (%,d of databases with free pages), %,d restarts, %,d parts of undo"
          .formatted(commits, restores, withFreePages, restarts, undoParts);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyRememberedStateComesBack(Engine engine, TestReporter reporter) throws IOException {
    Counts counts = new Counts();
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Path place = directory.resolve("seed-" + seed);
      new Program(engine, place, seed, counts).run();
      delete(place); // a long run would fill the disk
    }
    reporter.publishEntry(engine.name(), counts.toString());
    assertThat(counts.commits).isGreaterThanOrEqualTo(SEEDS * COMMITS);
    assertThat(counts.restarts).isPositive();
    if (engine == Engine.SQLITE) {
      assertThat(counts.withFreePages).isPositive();
    }
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
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
          .newestFirst(
              objects.journal.durablePosition(), _ -> floors.add(objects.recovery.historyFloor()));

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
    private final Counts counts;
    private final boolean hasSql;
    private final VirtualClock clock = new VirtualClock();
    private final RandomObject changes;
    private final List<List<Moment>> moments = new ArrayList<>();
    private final List<ObjectStore> sessions = new ArrayList<>();
    private RecoverableObjects objects;

    Program(Engine engine, Path directory, int seed, Counts counts) {
      this.counts = counts;
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
      int committed = 0;
      while (committed < COMMITS) {
        clock.advance(Duration.ofMillis(random.nextInt(3)));
        int number = random.nextInt(OBJECTS);
        if (random.nextInt(STEPS_PER_RESTORE) == 0) {
          restore(number, committed);
        } else if (random.nextInt(STEPS_PER_RESTART) == 0) {
          restart();
        } else if (commit(number)) {
          committed++;
        }
      }
      for (int number = 0; number < OBJECTS; number++) {
        for (int i = 0; i < LAST_RESTORES; i++) {
          restore(number, committed);
        }
        countParts(number);
      }
      counts.commits += committed;
      sessions.forEach(ObjectStore::release);
      objects.close();
    }

    private void countParts(int number) {
      ObjectKey key = RecoverableObjects.object(number);
      long end = objects.journal.durablePosition();
      try (HistoryCursor cursor = objects.journal.history().newestFirst(key, end)) {
        while (cursor.next()) {
          counts.undoParts += cursor.kind() == RecordKind.UNDO_PART ? 1 : 0;
        }
      }
    }

    private void remember(int number, String content) {
      String bookmark = bookmarkNow(RecoverableObjects.object(number));
      moments.get(number).add(new Moment(bookmark, remembered(content), now()));
    }

    private String bookmarkNow(ObjectKey key) {
      objects.journal.awaitDurable(objects.journal.lastPosition());
      return objects.recovery.bookmark(key, objects.journal.durablePosition(), false);
    }

    private Instant now() {
      return Instant.ofEpochMilli(clock.wallMillis());
    }

    /** A long run would not fit into memory with whole texts; a short one is easier to read. */
    private static String remembered(String content) {
      return LONG ? HexFormat.of().formatHex(sha256(content)) : content;
    }

    private static byte[] sha256(String text) {
      try {
        return MessageDigest.getInstance("SHA-256").digest(Content.bytes(text));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform has SHA-256", e);
      }
    }

    /** {@return whether the turn changed something} */
    private boolean commit(int number) {
      ObjectStore store = sessions.get(number);
      StoreTurn turn = store.beginTurn();
      changes.change(turn);
      if (random.nextInt(20) == 0) {
        turn.discard();
        return false;
      }
      long last = objects.journal.lastPosition();
      long position = turn.seal();
      remember(number, Content.of(store, hasSql));
      return position > last;
    }

    private void restore(int number, int step) {
      ObjectKey key = RecoverableObjects.object(number);
      List<Moment> past = moments.get(number);
      Moment target = past.get(random.nextInt(past.size()));
      String bookmark = random.nextInt(4) == 0 ? at(number, target) : target.bookmark();
      clock.advance(Duration.ofMillis(1));
      String before = remembered(Content.of(sessions.get(number), hasSql));
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
      past.add(new Moment(bookmarkNow(key), target.content(), now()));
      counts.restores++;
    }

    /** The bookmark of a time is equivalent, if nothing happened later in that millisecond. */
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
      counts.restarts++;
    }

    private void check(int number, String expected, String where) {
      if (hasSql) { // before the next turn: the database has only its file
        SqliteFileState database = SqliteFileState.of(directory, RecoverableObjects.object(number));
        assertThat(database.integrity()).as(where).isEqualTo("ok");
        counts.withFreePages += database.freePages() > 0 ? 1 : 0;
      }
      String content = Content.of(sessions.get(number), hasSql);
      assertThat(remembered(content)).as(where).isEqualTo(expected);
    }
  }
}
