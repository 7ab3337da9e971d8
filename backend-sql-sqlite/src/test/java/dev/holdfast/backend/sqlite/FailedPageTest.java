package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk fails while pages of a database file are read or written without SQLite. */
final class FailedPageTest {

  @TempDir private Path root;
  private final FaultyDisk disk = new FaultyDisk(new FileDisk());

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "READ"})
  void commitWhoseEarlierPagesCannotBeReadIsReverted(Operation operation) {
    try (SqliteHost host = SqliteHost.withLogs(root, 2, disk)) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      StoreTurn turn = host.store(1).beginTurn();
      turn.put(bytes("a"), bytes("2"));
      disk.affectOnly(file -> file.equals(host.file(object(1))));
      disk.fail(operation, 1);

      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(turn::seal)
          .withMessageContaining("nothing was stored");
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  private static LaterBatches after(SqliteHost host, long position) {
    List<JournalRecord> later =
        host.journal.records().stream()
            .filter(record -> record.key().equals(object(1)) && record.position() > position)
            .filter(record -> record.kind() != RecordKind.CHECKPOINT)
            .toList();
    return (_, visitor) -> later.reversed().forEach(visitor::visit);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "READ", "WRITE"})
  void restoreThatFailsAnywhereLeavesTheStateBeforeOrAfter(Operation operation) {
    int failures = 0;
    boolean failed = true;
    while (failed) {
      try (SqliteHost host = new SqliteHost(root.resolve("" + failures), 2, disk)) {
        commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
        List<String> first = contents(host.store(1));
        long firstEnd = host.journal.lastPosition();
        commit(host.store(1), turn -> turn.put(bytes("a"), bytes("2")));
        List<String> second = contents(host.store(1));
        disk.fail(operation, failures + 1);
        failed = failsToRestore(host, firstEnd);
        disk.heal();
        host.crashAt(host.journal.lastPosition());
        boolean isRestored =
            host.journal.records().stream().anyMatch(each -> each.kind() == RecordKind.RESTORE);
        assertThat(contents(host.store(1)))
            .as("after failure %d", failures)
            .isEqualTo(isRestored ? first : second);
        failures += failed ? 1 : 0;
      }
    }
    assertThat(failures).isPositive();
  }

  private static boolean failsToRestore(SqliteHost host, long position) {
    try {
      host.store(1).restore(after(host, position));
      return false;
    } catch (StorageFailedException e) {
      return true;
    }
  }

  @Test
  void imageThatCannotBeWrittenChangesNothing() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      disk.affectOnly(file -> String.valueOf(file.getFileName()).startsWith("image-"));
      disk.fail(Operation.WRITE, 1);

      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> host.store(1).image(after(host, 0)));
      try (Stream<Path> files = Files.walk(root)) {
        assertThat(files.map(each -> String.valueOf(each.getFileName())))
            .noneMatch(each -> each.startsWith("image-"));
      }
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      host.store(1).image(after(host, 0)).close();
    }
  }
}
