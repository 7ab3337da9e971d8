package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.RuntimeClosedException;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.Polling;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ReplicaState;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a backup of a cluster that runs does when copies of others cannot be had. */
final class ClusterBackupTest {

  @TempDir private Path directory;

  private final SystemTimeSource time = new SystemTimeSource();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger read = new AtomicInteger();
  private final List<Integer> damaged = new ArrayList<>();
  private NodeFile file;
  private ClusterBackup backup;

  /** What the other copy says that it has, at each question. */
  private Supplier<ReplicaState> state = () -> state(/* segment= */ 1);

  @BeforeEach
  void begin() {
    file =
        NodeFile.open(new FileDisk(), directory, "shop", new NodeId("a"), 1, false, new Random(1));
    backup =
        new ClusterBackup(
            new ClusterBackup.Node(directory.resolve("data"), new FileDisk(), file),
            _ -> 0,
            new ClusterBackup.Copies(_ -> new Copy(), damaged::add),
            time,
            new Random(2));
  }

  @AfterEach
  void end() {
    file.close();
    time.close();
  }

  /** The close of a node would wait until a whole shard is there. */
  @Test
  void closeEndsWhatIsFetched() {
    Thread closing = new Thread(backup::close);
    state =
        () -> {
          closing.start();
          while (closing.getState() != Thread.State.WAITING) {
            Polling.pause(); // it waits for the end of the backup
          }
          return state(1);
        };

    assertThatThrownBy(() -> backup.make(directory.resolve("backup")))
        .isInstanceOf(RuntimeClosedException.class);

    assertThat(read).hasValue(0);
    assertThat(directory.resolve("backup")).doesNotExist();
  }

  /** While another node purges, its segment may be read in part before and in part afterwards. */
  @Test
  void whatIsDamagedIsFetchedAgain() {
    state =
        () -> {
          int tries = asked.incrementAndGet();
          assertThat(tries).as("tries").isLessThan(9);
          if (tries == 1) {
            throw new JournalCorruptException(directory, 0, 1, "two segments in one");
          }
          return state(0);
        };

    assertThat(backup.make(directory.resolve("backup")).position()).isZero();
    assertThat(asked.get()).isGreaterThan(1);
    assertThat(damaged).as("another node is asked then").containsExactly(0);
  }

  /** It would be taken for one with logs, which it lacks. */
  @Test
  void backupOfABackupIsOfTheSameKind() {
    state = () -> state(0);
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    backup.make(first);

    ClusterHoldfast.backup(first, second);

    assertThat(NodeFile.existing(new FileDisk(), second).isCopyWithoutLogs()).isTrue();
    List<String> warnings = new ArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast");
    log.setFilter(
        line -> {
          warnings.add(line.getMessage());
          return false;
        });
    try {
      assertThat(ClusterHoldfast.recover(second, /* isDamageAccepted= */ false)).hasSize(1);
    } finally {
      log.setFilter(null);
    }
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("is a backup of a cluster whose nodes may still run", "RECOVERED");
  }

  /** {@return three records in a segment, or an empty shard} */
  private static ReplicaState state(long segment) {
    return segment == 0
        ? new ReplicaState(0, 10, 1, 0, null, 0, 0, 0, 0, 0, 1, 0, 0, List.of())
        : new ReplicaState(5, 10, 1, 0, null, 3, 1, 6, 8192, 4096, 1, 0, 0, List.of(segment));
  }

  private final class Copy implements ReplicaSource {

    @Override
    public ReplicaState state(long segment) {
      return state.get();
    }

    @Override
    public byte[] read(long segment, long offset) {
      read.incrementAndGet();
      throw new JournalFailedException("Nothing is given.", null);
    }

    @Override
    public ReplicaImage image() {
      throw new JournalFailedException("There is no image.", null);
    }

    @Override
    public byte[] readImage(long image, int number, long offset) {
      throw new JournalFailedException("There is no image.", null);
    }

    @Override
    public void releaseImage(long image) {
      // None was given.
    }
  }
}
