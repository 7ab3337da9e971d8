package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.RecordKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores and forks that are too large for one record are written in parts. */
final class RestoreInPartsTest {

  private static final int VALUES = 12;

  @TempDir private Path root;

  /** Random, as zeros take no room in a batch. */
  private static void write(SqliteHost host, long seed, int from, int to) {
    Random random = new Random(seed);
    for (int number = from; number < to; number++) {
      byte[] value = new byte[200_000];
      random.nextBytes(value);
      String key = "key " + number;
      commit(host.store(1), turn -> turn.put(bytes(key), value));
    }
  }

  private static LaterBatches after(SqliteHost host, long position) {
    List<JournalRecord> later =
        host.journal.records().stream()
            .filter(record -> record.key().equals(object(1)))
            .filter(record -> record.position() > position)
            .filter(record -> record.kind() != RecordKind.CHECKPOINT)
            .toList();
    return (_, visitor) -> later.reversed().forEach(visitor::visit);
  }

  private record Story(List<String> first, long firstEnd, List<String> second, long secondEnd) {}

  /** Writes an object, then changes, adds and deletes values. */
  private static Story tell(SqliteHost host) {
    write(host, 1, 0, VALUES);
    List<String> first = contents(host.store(1));
    long firstEnd = host.journal.lastPosition();
    write(host, 2, VALUES / 2, VALUES + 3);
    commit(host.store(1), turn -> turn.delete(bytes("key 0")));
    return new Story(first, firstEnd, contents(host.store(1)), host.journal.lastPosition());
  }

  private static long parts(SqliteHost host) {
    return host.journal.records().stream()
        .filter(record -> record.kind() == RecordKind.UNDO_PART)
        .count();
  }

  @Test
  void objectIsBroughtBackAndTheRestoreIsUndone() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      host.store(1).restore(after(host, story.firstEnd()));
      assertThat(parts(host)).isGreaterThan(1);
      assertThat(contents(host.store(1))).isEqualTo(story.first());

      host.store(1).restore(after(host, story.secondEnd()));
      assertThat(contents(host.store(1))).isEqualTo(story.second());
      commit(host.store(1), turn -> turn.put(bytes("more"), bytes("1")));
      host.store(1).restore(after(host, story.firstEnd()));
      assertThat(contents(host.store(1))).isEqualTo(story.first());
      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(story.first());
      assertThat(host.isSaved()).isTrue();
    }
  }

  @Test
  void crashAnywhereLeavesTheStateBeforeOrAfter() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      long restored = host.store(1).restore(after(host, story.firstEnd()));
      for (long end = restored; end >= story.secondEnd(); end--) {
        host.crashAt(end);
        assertThat(contents(host.store(1)))
            .as("after a crash at %d", end)
            .isEqualTo(end == restored ? story.first() : story.second());
      }
    }
  }

  /** Parts whose batch is missing after a crash lie between the batches that are undone. */
  @Test
  void partsWithoutTheirBatchAreHarmless() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      long restored = host.store(1).restore(after(host, story.firstEnd()));
      host.crashAt(restored - 1);
      commit(host.store(1), turn -> turn.put(bytes("more"), bytes("1")));

      host.store(1).restore(after(host, story.firstEnd()));
      assertThat(contents(host.store(1))).isEqualTo(story.first());
      host.crashAt(host.journal.lastPosition());
      assertThat(contents(host.store(1))).isEqualTo(story.first());
    }
  }

  @Test
  void journalKeepsThePartsUntilTheRestoreIsSaved() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      long before = host.journal.lastPosition();
      host.store(1).restore(after(host, story.firstEnd()));
      assertThat(host.backend.lowWaterMark()).isLessThanOrEqualTo(before + 1);
      long mark = host.backend.lowWaterMark();
      host.journal.trimBefore(mark);
      host.crashAt(host.journal.lastPosition());
      assertThat(host.backend.lowWaterMark()).isLessThanOrEqualTo(before + 1);
      assertThat(contents(host.store(1))).isEqualTo(story.first());
    }
  }

  @Test
  void restoreWhoseBatchIsRefusedChangesNothing() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      LaterBatches later = after(host, story.firstEnd());
      host.journal.refuseNextAppend(new DataDirectoryException(root, "full", null));
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(() -> host.store(1).restore(later));
      assertThat(contents(host.store(1))).isEqualTo(story.second());
      host.store(1).restore(after(host, story.firstEnd()));
      assertThat(contents(host.store(1))).isEqualTo(story.first());
    }
  }

  @Test
  void forkIsMadeInParts() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      Story story = tell(host);
      try (PastImage image = host.store(1).image(after(host, story.firstEnd()))) {
        host.store(2).become(image);
      }
      assertThat(parts(host)).isGreaterThan(1);
      assertThat(contents(host.store(2))).isEqualTo(story.first());
      host.crashAt(host.journal.lastPosition());
      assertThat(contents(host.store(2))).isEqualTo(story.first());
      assertThat(contents(host.store(1))).isEqualTo(story.second());
    }
  }
}
