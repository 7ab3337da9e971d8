package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.BasesFile;
import dev.holdfast.journal.replica.CopyHold;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A new replica of a shard whose journal has dropped its beginning. */
final class FetchedFilesTest {

  private static final Disk DISK = new FileDisk();
  private static final ObjectKey KEY =
      new ObjectKey("accounts", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
  private static final int RECORDS = 300;

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private Saved source = Saved.empty(1);
  private long first;

  @BeforeEach
  void adopt() throws IOException {
    Path data = directory.resolve("data");
    try (DirectoryLock lock = DirectoryLock.acquire(data, DISK);
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      journal.start(List.of()); // no view needs a record, and no history is kept
      for (int i = 0; i < RECORDS; i++) {
        journal.awaitDurable(
            journal.append(
                RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(new byte[200])));
      }
    }
    try (DirectoryLock lock = DirectoryLock.acquire(data, DISK)) {
      AdoptedJournal.prepare(
          DISK, lock, sourceDirectory(), () -> 9, (records, _) -> first = records.oldestPosition());
    }
    Files.move(data.resolve("journal"), sourceDirectory().resolve("journal"));
    source = Objects.requireNonNull(new SavedFile(DISK, sourceDirectory()).read());
    assertThat(first).isGreaterThan(1);
  }

  private Path sourceDirectory() {
    return directory.resolve("source");
  }

  /** What the source says of its files. */
  private Saved said(long journalId, long position, long lowWaterMark, long ownedTo) {
    return new Saved(
        new SavedPoint(journalId, 0, 0, position, 0, 0, 0, 0, 1, 0, Purges.NONE),
        1,
        lowWaterMark,
        new OwnedPositions(List.of(new OwnedPositions.Span(1, ownedTo))),
        null);
  }

  private ReplicaSource source(Saved said) throws IOException {
    OutgoingImage images = new OutgoingImage(DISK, sourceDirectory(), clock, 1);
    images.offer(
        (target, pinned, _) -> {
          try {
            target.put("sqlite/catalog.sqlite", new byte[] {1, 2, 3});
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          pinned.accept(new ViewImage(said.lowWaterMark(), said.point().lastPosition(), 0));
        },
        () -> first,
        _ ->
            Map.of(
                SavedFile.NAME,
                SavedFile.encode(said),
                BasesFile.NAME,
                BasesFile.encode(source.point().journalId(), Bases.NONE.reaching(RECORDS - 5))));
    return new OwnState(
        DISK,
        Segments.list(DISK, sourceDirectory().resolve("journal")),
        new CopyHold(clock),
        () -> source,
        _ -> OptionalLong.of(1),
        () -> 0,
        () -> {},
        images);
  }

  private ShardReplica open(Path replica, ReplicaSource others) {
    return open(replica, new Joining(others));
  }

  private ShardReplica open(Path replica, ShardHost.Owner owner) {
    return ShardReplica.open(
        replica,
        ShortSegments.OPTIONS,
        new ShardHost(new NodeId("b"), clock, Runnable::run, Runnable::run, Runnable::run, owner));
  }

  private record Joining(ReplicaSource others) implements ShardHost.Owner {

    @Override
    public void mayLead(boolean yes) {}

    @Override
    public void owns(ShardJournal journal) {}
  }

  private Saved saved(Path replica) throws IOException {
    return Objects.requireNonNull(new SavedFile(DISK, replica).read());
  }

  @Test
  void replicaBeginsWhereTheOtherOneDoes() throws IOException {
    long id = source.point().journalId();
    Path other = directory.resolve("other");
    ReplicaSource others = source(said(id, RECORDS - 5, first + 3, RECORDS - 5));
    try (ShardReplica replica = open(other, others)) {
      var fetched = Objects.requireNonNull(replica.fetch(0));
      assertThat(saved(other).point().lastPosition()).isZero();
      assertThat(other.resolve("sqlite")).doesNotExist();

      fetched.install();

      assertThat(replica.lastPosition()).isEqualTo(RECORDS);
      assertThat(replica.lowWaterMark()).isEqualTo(first + 3);
      assertThat(replica.history().oldestPosition()).isEqualTo(first);
    }
    for (int run = 0; run < 2; run++) {
      Saved taken = saved(other);
      assertThat(taken.point().lastPosition()).isEqualTo(RECORDS);
      assertThat(taken.lowWaterMark()).isEqualTo(first + 3);
      assertThat(taken.owned().contains(RECORDS - 5)).isTrue();
      assertThat(taken.owned().contains(RECORDS - 4)).isFalse();
      assertThat(new BasesFile(DISK, other).read(id).reach()).isEqualTo(RECORDS - 5);
      assertThat(other.resolve("sqlite/catalog.sqlite")).hasBinaryContent(new byte[] {1, 2, 3});
      assertThat(other.resolve("fetched")).doesNotExist();
      open(other, others).close();
    }
    assertThat(sourceDirectory().resolve("outgoing")).doesNotExist();
  }

  /** Its objects are open: they use the files that are about to be replaced. */
  @Test
  void ownershipOfANodeThatWasAwayEndsBeforeFilesArePlaced() throws IOException {
    long id = source.point().journalId();
    Path other = directory.resolve("other");
    Files.createDirectories(other);
    new SavedFile(DISK, other)
        .write(new Saved(SavedPoint.NONE.of(id), 2, 1, OwnedPositions.NONE, null));
    source = new Saved(source.point().at(50), 1, first, OwnedPositions.NONE, null);
    Owning owner = new Owning(source(said(id, RECORDS - 5, first, RECORDS - 5)), other);
    SimulatedLog log = SimulatedLog.reliable(Runnable::run);
    try (ShardReplica replica = open(other, owner)) {
      ReplicatedLog node = log.on(new NodeId("b"));
      replica.start(node);
      replica.claim();
      assertThat(owner.journals).hasSize(1);
      assertThat(owner.journals.getFirst().failure()).isNull();

      Objects.requireNonNull(replica.fetch(0)).install();

      assertThat(owner.endedBefore).isTrue();
      assertThat(replica.lastPosition()).isEqualTo(RECORDS);
      node.close();
    }
    assertThat(saved(other).owned()).isEqualTo(said(id, 0, 1, RECORDS - 5).owned());
    assertThat(saved(other).incarnation()).isEqualTo(2);
  }

  private static final class Owning implements ShardHost.Owner {

    private final ReplicaSource others;
    private final Path replica;
    private final List<ShardJournal> journals = new ArrayList<>();
    private boolean endedBefore;

    Owning(ReplicaSource others, Path replica) {
      this.others = others;
      this.replica = replica;
    }

    @Override
    public void mayLead(boolean yes) {}

    @Override
    public ReplicaSource others() {
      return others;
    }

    @Override
    public void owns(ShardJournal journal) {
      journals.add(journal);
    }

    @Override
    public void whileClosed(Runnable task) {
      endedBefore =
          journals.getFirst().failure() != null
              && Files.notExists(replica.resolve("fetched/placing"))
              && Files.notExists(replica.resolve("sqlite"));
      task.run();
    }
  }

  /** As after a kill in the middle: the log is given up for a cluster of one next. */
  @Test
  void replicaThatLeavesItsLogPlacesTheFilesFirst() throws IOException {
    long id = source.point().journalId();
    Path other = directory.resolve("other");
    try (ShardReplica replica = open(other, source(said(id, RECORDS - 5, first, RECORDS - 5)))) {
      Objects.requireNonNull(replica.fetch(0));
      Saved next = new Saved(source.point().at(7), 2, first, OwnedPositions.NONE, null);
      byte[] content = SavedFile.encode(next);
      ByteBuffer placing = ByteBuffer.allocate(16 + content.length);
      placing.putLong(first).putLong(0).put(content);
      CRC32C crc = new CRC32C();
      crc.update(placing.array());
      placing.putInt(8, (int) crc.getValue());
      Files.write(other.resolve("fetched/placing"), placing.array());
    }
    assertThat(LoneReplica.appliedIndex(other, DISK)).hasValue(7);
    assertThat(other.resolve("sqlite/catalog.sqlite")).exists();
    LoneReplica.leaveLog(other, DISK);
    assertThat(saved(other).point()).isEqualTo(source.point());
  }

  @Test
  void filesThatAreSaidToBeOthersAreRefused() throws IOException {
    long id = source.point().journalId();
    List<Saved> wrong =
        List.of(
            said(id + 1, RECORDS - 5, first, RECORDS - 5),
            said(id, RECORDS + 1, first, RECORDS - 5), // ahead of all segments
            said(id, RECORDS - 5, 0, RECORDS - 5),
            said(id, RECORDS - 5, first - 1, RECORDS - 5), // of which the records are gone
            said(id, RECORDS - 5, first, RECORDS - 4));
    for (int i = 0; i < wrong.size(); i++) {
      Path other = directory.resolve("other-" + i);
      try (ShardReplica replica = open(other, source(wrong.get(i)))) {
        assertThatThrownBy(() -> replica.fetch(0))
            .as("%d", i)
            .isInstanceOf(HoldfastException.class);
        assertThat(replica.failure()).isNull();
        assertThat(replica.lastPosition()).isZero();
        assertThat(other.resolve("sqlite")).doesNotExist();
      }
    }
  }

  /** They may need records that are void in the segments. */
  @Test
  void filesOfBeforeAPurgeAreNotPlacedWithSegmentsOfAfterIt() throws IOException {
    Saved before = said(source.point().journalId(), RECORDS - 5, first, RECORDS - 5);
    LogEntry.Purge purge = new LogEntry.Purge(1, first, 1, List.of());
    source =
        new Saved(
            source.point().at(9).purging(9, purge).purged(), 1, first, OwnedPositions.NONE, null);
    Path other = directory.resolve("other");
    try (ShardReplica replica = open(other, source(before))) {
      assertThatThrownBy(() -> replica.fetch(0)).hasMessageContaining("purged");
      assertThat(replica.failure()).isNull();
    }
  }

  @Test
  void earlierSegmentsThatWereFetchedGoWhenFilesArePlaced() throws IOException {
    long id = source.point().journalId();
    Path other = directory.resolve("other");
    try (ShardReplica replica = open(other, source(said(id, RECORDS - 5, first, RECORDS - 5)))) {
      for (String name :
          List.of("0000000000000001.log.fetched", "000000000000000a.log.fetched.new")) {
        Files.writeString(other.resolve("journal").resolve(name), "what others have purged since");
      }
      Objects.requireNonNull(replica.fetch(0)).install();

      try (Stream<Path> files = Files.list(other.resolve("journal"))) {
        assertThat(files).noneMatch(file -> file.toString().contains("fetched"));
      }
    }
  }
}
