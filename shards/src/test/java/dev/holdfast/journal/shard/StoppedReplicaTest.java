package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damage to the segments of a replica is found, and what its log writes again is none. */
final class StoppedReplicaTest {

  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
  private final SimulatedShard shard = new SimulatedShard(random);
  private List<Long> segments = List.of();

  @BeforeEach
  void fillSegments() {
    ShardJournal journal = shard.owned("a");
    write(journal, 12);
    journal.append(RecordKind.CHECKPOINT, 1, SimulatedShard.KEY, ByteBuffer.wrap(new byte[8]));
    write(journal, 1);
    journal.close();
    shard.log().settle();
    write(shard.owned("b"), 1);
    shard.clock().advance(Duration.ofSeconds(2)); // all of it is saved
    segments =
        shard.segments("b").keySet().stream()
            .map(name -> Long.parseLong(name.substring(0, 16), 16))
            .sorted()
            .toList();
    assertThat(segments).hasSizeGreaterThan(2);
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private void write(ShardJournal journal, int records) {
    for (int i = 0; i < records; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "r".repeat(3000)), _ -> {});
      shard.log().settle();
    }
  }

  private record Checked(List<Finding> findings, JournalCheck.Result result) {}

  private Checked check(String node) throws IOException {
    StoppedReplica replica =
        Objects.requireNonNull(StoppedReplica.read(shard.memory(node), SimulatedShard.DIRECTORY));
    List<Finding> findings = new ArrayList<>();
    return new Checked(findings, replica.check(findings::add));
  }

  private Path fileOf(long segment) {
    return Segments.fileOf(SimulatedShard.DIRECTORY.resolve("journal"), segment);
  }

  @Test
  void soundReplicaHasNoFinding() throws IOException {
    for (String node : List.of("a", "b")) {
      Checked found = check(node);
      assertThat(found.findings()).as(node).isEmpty();
      assertThat(found.result().isWhole()).isTrue();
      assertThat(found.result().lastPosition()).isEqualTo(15);
      List<Long> positions = new ArrayList<>();
      found.result().records().forEachFrom(1, record -> positions.add(record.position()));
      // The checkpoint of node a describes no file of node b.
      assertThat(positions).hasSize(node.equals("a") ? 15 : 14);
    }
  }

  /** What was erased is none of the checkpoints of another node, though it has their kind. */
  @Test
  void recordThatAnotherNodeWroteAndThatWasErasedIsSeen() throws IOException {
    ShardJournal journal = shard.lastOwned("b");
    long erased =
        journal.append(
            RecordKind.CHECKPOINT,
            RecordKind.VOID_VIEW,
            VoidRecord.NO_OBJECT,
            ByteBuffer.allocate(8));
    write(journal, 1);
    shard.clock().advance(Duration.ofSeconds(2));
    for (String node : List.of("a", "b")) {
      StoppedReplica replica =
          Objects.requireNonNull(StoppedReplica.read(shard.memory(node), SimulatedShard.DIRECTORY));
      List<Long> found = new ArrayList<>();
      RecordVisitor visitor =
          record -> {
            if (record.isErased()) {
              found.add(record.position());
            }
          };
      check(node).result().records().forEachFrom(1, visitor);
      replica
          .own(
              shard.memory(node),
              SimulatedShard.DIRECTORY.resolve("journal"),
              erased + 1,
              shard.clock())
          .history()
          .forEach(1, erased + 1, visitor);
      assertThat(found).as(node).containsExactly(erased, erased);
    }
  }

  @Test
  void flippedByteIsFoundInEachSegment() throws IOException {
    for (long segment : segments) {
      for (long offset : new long[] {20, 4096 + 20, 4096 + 2000}) {
        shard.damage("b", segment, offset);
        Checked found = check("b");
        assertThat(found.findings())
            .as("segment %d, byte %d", segment, offset)
            .isNotEmpty()
            .allSatisfy(each -> assertThat(each.counts()).isTrue())
            .anySatisfy(each -> assertThat(each.file()).isEqualTo(fileOf(segment)));
        shard.damage("b", segment, offset); // undone
      }
    }
    assertThat(check("b").findings()).isEmpty();
  }

  @Test
  void missingSegmentIsFound() throws IOException {
    MemoryDisk disk = shard.memory("b");
    for (long segment : segments) {
      Path away = fileOf(segment).resolveSibling("away");
      disk.move(fileOf(segment), away);
      Checked found = check("b");
      assertThat(found.findings()).as("segment %d", segment).isNotEmpty();
      assertThat(found.findings().getFirst().kind())
          .isIn(FindingKind.SEGMENT_MISSING, FindingKind.RECORDS_DAMAGED);
      assertThat(found.findings().getFirst().severity()).isEqualTo(Severity.ERROR);
      assertThat(found.result().isWhole()).isFalse();
      disk.move(away, fileOf(segment));
    }
    assertThat(check("b").findings()).isEmpty();
  }

  @Test
  void whatIsBehindTheSavedPointCountsAsFarAsItIsWhole() throws IOException {
    ShardJournal journal = shard.lastOwned("b");
    write(journal, 12); // nothing of it is saved
    long saved = shard.saved("b").point().lastPosition();
    assertThat(saved).isEqualTo(15);
    Checked all = check("b");
    assertThat(all.findings()).isEmpty();
    assertThat(all.result().lastPosition()).isEqualTo(27);

    List<Long> behind =
        Segments.list(shard.memory("b"), SimulatedShard.DIRECTORY.resolve("journal"))
            .from(Long.MAX_VALUE - 1);
    shard.damage("b", behind.getLast(), 4096 + 20);
    Checked damaged = check("b");
    assertThat(damaged.findings()).isEmpty();
    assertThat(damaged.result().lastPosition()).isBetween(saved, 26L);
    shard.memory("b").delete(fileOf(behind.getLast()));
    assertThat(check("b").findings()).isEmpty();
  }

  @Test
  void filesOfAnOwnerThatWasNotClosedMayBeAhead() throws IOException {
    assertThat(mayBeAhead("b")).isTrue();
    assertThat(mayBeAhead("a")).isFalse();
    shard.lastOwned("b").close();
    shard.log().settle();
    shard.clock().advance(Duration.ofSeconds(2));
    assertThat(mayBeAhead("b")).isFalse();
  }

  private boolean mayBeAhead(String node) throws IOException {
    StoppedReplica replica =
        Objects.requireNonNull(StoppedReplica.read(shard.memory(node), SimulatedShard.DIRECTORY));
    return replica.mayFilesBeAhead(check(node).result().lastPosition());
  }

  @Test
  void journalOfASingleMachineIsMadeOfIt() throws IOException {
    write(shard.lastOwned("b"), 3);
    MemoryDisk disk = shard.memory("b");
    Path copy = Path.of("copy").toAbsolutePath();
    disk.createDirectories(copy.resolve("journal"));
    Objects.requireNonNull(StoppedReplica.read(disk, SimulatedShard.DIRECTORY))
        .copyJournal(copy.resolve("journal"), (link, file) -> copy(disk, file, link));

    try (FileJournal journal =
        FileJournal.open(
            copy.resolve("journal"), shard.clock(), JournalOptions.DEFAULT.withDisk(disk))) {
      assertThat(journal.lastPosition()).isEqualTo(18);
      assertThat(journal.recoveryLog().oldestPosition()).isEqualTo(1);
    }
  }

  private static void copy(MemoryDisk disk, Path from, Path to) throws IOException {
    try (DiskFile source = disk.open(from, Disk.Mode.READ);
        DiskFile target = disk.open(to, Disk.Mode.CREATE)) {
      byte[] bytes = new byte[(int) source.size()];
      source.read(bytes, 0, bytes.length, 0);
      target.write(bytes, 0, bytes.length, 0);
    }
  }
}
