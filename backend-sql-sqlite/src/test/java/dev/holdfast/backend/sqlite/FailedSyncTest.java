package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object whose file could not be synced in the background. */
final class FailedSyncTest {

  @TempDir private Path root;

  @Test
  void objectIsReportedOnceAndRefusedUntilTheBackendIsOpenedAgain() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    List<ObjectKey> reported = new ArrayList<>();
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      host.backend.onObjectFailure((key, _) -> reported.add(key));
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      disk.affectOnly(file -> file.equals(host.file(object(1))));
      disk.fail(Operation.FORCE, 1);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();

      assertThat(reported).containsExactly(object(1));
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> host.store(1).beginTurn())
          .withMessageContaining("could not be made durable");
      disk.heal();
      host.restart();
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }
}
