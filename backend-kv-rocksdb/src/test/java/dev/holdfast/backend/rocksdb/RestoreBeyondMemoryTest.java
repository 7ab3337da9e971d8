package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restore and a fork that are larger than what may be in memory are made in parts. */
final class RestoreBeyondMemoryTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));
  private static final ObjectKey FORK = new ObjectKey("n", ObjectId.of(one(), "fork"));
  private static final int PAIRS = 300;

  @TempDir private Path parent;

  private final StorageThreads threads = new StorageThreads(1);
  private InMemoryJournal journal = new InMemoryJournal();

  private static byte[] one() {
    byte[] id = new byte[32];
    id[0] = 1;
    return id;
  }

  @AfterEach
  void close() {
    threads.close();
  }

  private RocksDbBackend open(Path directory, InMemoryJournal of) {
    RocksDbBackend backend =
        RocksDbBackend.open(
            directory,
            new RocksDbBackend.Host(of, threads, new VirtualClock()),
            // So an eighth of what is changed is too much for memory.
            RocksDbOptions.DEFAULT
                .withPendingBytesMax(64 << 10)
                .withApplyDelay(Duration.ofDays(1)));
    backend.recover(of);
    return backend;
  }

  private void with(Consumer<RocksDbBackend> work) {
    try (RocksDbBackend backend = open(directory(), journal)) {
      work.accept(backend);
    }
  }

  private Path directory() {
    return parent.resolve("rocksdb");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void write(RocksDbBackend backend, String value, int from, int to) {
    for (int i = from; i < to; i++) {
      StoreTurn turn = backend.store(KEY).beginTurn();
      turn.put(bytes(String.format("%04d", i)), bytes((value + i).repeat(100)));
      turn.seal();
    }
  }

  private static void delete(RocksDbBackend backend, int from, int to) {
    StoreTurn turn = backend.store(KEY).beginTurn();
    for (int i = from; i < to; i++) {
      turn.delete(bytes(String.format("%04d", i)));
    }
    turn.seal();
  }

  private static Map<String, String> content(RocksDbBackend backend, ObjectKey key) {
    Map<String, String> content = new TreeMap<>();
    StoreTurn turn = backend.store(key).beginTurn();
    try (StoreScan scan = turn.scan(new KeyRange(null, null, false, Integer.MAX_VALUE))) {
      while (scan.next()) {
        content.put(
            new String(scan.key(), StandardCharsets.UTF_8),
            new String(scan.value(), StandardCharsets.UTF_8));
      }
    }
    turn.discard();
    return content;
  }

  private LaterBatches after(long position) {
    List<JournalRecord> later =
        journal.records().stream()
            .filter(record -> record.position() > position && record.key().equals(KEY))
            .toList();
    return (_, visitor) -> later.reversed().forEach(visitor::visit);
  }

  /** The moments of an object that was written, changed everywhere, and brought back. */
  private record Story(Map<String, String> first, Map<String, String> second, long firstEnd) {}

  /** Writes an object, then overwrites, adds and deletes pairs. */
  private Story tell(RocksDbBackend backend) {
    write(backend, "first", 0, PAIRS);
    Map<String, String> first = content(backend, KEY);
    long end = journal.lastPosition();
    write(backend, "second", 100, PAIRS + 100);
    delete(backend, 0, 50);
    return new Story(first, content(backend, KEY), end);
  }

  @Test
  void objectIsBroughtBackAndTheRestoreIsUndone() {
    with(
        backend -> {
          Story story = tell(backend);
          long before = journal.lastPosition();
          long restore = backend.store(KEY).restore(after(story.firstEnd()));

          assertThat(content(backend, KEY)).isEqualTo(story.first());
          assertThat(restore - before).as("parts and the restore").isGreaterThan(1);
          backend.store(KEY).restore(after(before));
          assertThat(content(backend, KEY)).isEqualTo(story.second());
        });
  }

  @Test
  void restoreSurvivesACloseAndLeavesNoFiles() {
    Story[] story = new Story[1];
    with(
        backend -> {
          story[0] = tell(backend);
          backend.store(KEY).restore(after(story[0].firstEnd()));
          write(backend, "third", 0, 1);
          story[0].first().put("0000", "third0".repeat(100));
        });
    with(backend -> assertThat(content(backend, KEY)).isEqualTo(story[0].first()));
    assertThat(parent.toFile().list()).containsExactly("rocksdb");
  }

  @Test
  void crashAnywhereLeavesTheStateBeforeOrAfter() {
    with(
        backend -> {
          Story story = tell(backend);
          backend.applier().settle();
          long before = journal.lastPosition();
          Map<String, byte[]> filesBefore = Directory.read(directory());
          long restore = backend.store(KEY).restore(after(story.firstEnd()));
          Map<String, byte[]> filesAfter = Directory.read(directory());

          for (long position = before; position <= restore; position++) {
            Map<String, String> expected = position < restore ? story.second() : story.first();
            assertCrashImage(filesBefore, journal.prefix(position), KEY, expected);
          }
          assertCrashImage(filesAfter, journal.prefix(restore), KEY, story.first());
        });
  }

  private void assertCrashImage(
      Map<String, byte[]> files, InMemoryJournal of, ObjectKey key, Map<String, String> expected) {
    Path image = parent.resolve("image");
    Directory.write(image, files);
    try (RocksDbBackend backend = open(image, of)) {
      assertThat(content(backend, key)).isEqualTo(expected);
    }
    try (RocksDbBackend backend = open(image, of)) {
      assertThat(content(backend, key)).isEqualTo(expected);
    }
  }

  /** The pairs of a fork are in the files at once, and nothing else of the database may be yet. */
  @Test
  void crashAfterAForkInADatabaseThatWasNeverFlushedLeavesTheFork() {
    with(
        backend -> {
          Story story = tell(backend);
          try (PastImage image = backend.store(KEY).image(after(story.firstEnd()))) {
            backend.store(FORK).become(image);
          }
          Map<String, byte[]> files = Directory.read(directory());

          InMemoryJournal whole = journal.prefix(journal.lastPosition());
          assertCrashImage(files, whole, FORK, story.first());
          assertCrashImage(files, whole, KEY, story.second());
        });
  }

  @Test
  void journalKeepsThePartsUntilTheRestoreIsFlushed() {
    with(
        backend -> {
          Story story = tell(backend);
          backend.applier().settle();
          long before = journal.lastPosition();
          backend.store(KEY).restore(after(story.firstEnd()));
          assertThat(backend.lowWaterMark()).isLessThanOrEqualTo(before + 1);

          backend.checkpointBefore(Long.MAX_VALUE);
          backend.applier().settle();
          assertThat(backend.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
        });
  }

  @Test
  void restoreThatFindsNoRoomChangesNothing() {
    with(
        backend -> {
          Story story = tell(backend);
          journal.refuseNextAppend(new DataDirectoryException(parent, "The disk is full", null));

          assertThatThrownBy(() -> backend.store(KEY).restore(after(story.firstEnd())))
              .isInstanceOf(DataDirectoryException.class);
          assertThat(content(backend, KEY)).isEqualTo(story.second());
          backend.checkpointBefore(Long.MAX_VALUE);
          backend.applier().settle();
          assertThat(backend.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
          backend.store(KEY).restore(after(story.firstEnd()));
          assertThat(content(backend, KEY)).isEqualTo(story.first());
        });
  }

  /** Its past values are few, as there were none; what it deletes is much. */
  @Test
  void restoreToNothingIsMadeInParts() {
    with(
        backend -> {
          write(backend, "first", 0, PAIRS);
          Map<String, String> present = content(backend, KEY);
          long end = journal.lastPosition();
          long restore = backend.store(KEY).restore(after(0));

          assertThat(content(backend, KEY)).isEmpty();
          assertThat(restore - end).as("parts and the restore").isGreaterThan(1);
          backend.store(KEY).restore(after(end));
          assertThat(content(backend, KEY)).isEqualTo(present);
        });
  }

  @Test
  void largeStateIsForked() {
    Story[] story = new Story[1];
    with(
        backend -> {
          story[0] = tell(backend);
          try (PastImage image = backend.store(KEY).image(after(story[0].firstEnd()))) {
            long position = backend.store(FORK).become(image);
            assertThat(journal.records().getLast().position()).isEqualTo(position);
            assertThat(journal.records().getLast().kind()).isEqualTo(RecordKind.BATCH);
          }
          assertThat(content(backend, FORK)).isEqualTo(story[0].first());
          assertThat(content(backend, KEY)).isEqualTo(story[0].second());
          assertThatThrownBy(
                  () -> {
                    try (PastImage image = backend.store(KEY).image(after(story[0].firstEnd()))) {
                      backend.store(FORK).become(image);
                    }
                  })
              .isInstanceOf(IllegalStateException.class);
        });
    with(backend -> assertThat(content(backend, FORK)).isEqualTo(story[0].first()));
  }
}
