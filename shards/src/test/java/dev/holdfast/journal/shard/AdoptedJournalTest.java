package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.replica.CopyHold;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal of a single machine becomes that of a replica. */
final class AdoptedJournalTest {

  private static final NodeId NODE = new NodeId("a");
  private static final ObjectKey KEY =
      new ObjectKey("accounts", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  /** More than fits into one segment. */
  private static final int RECORDS = 300;

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  private long written() {
    long last = 0;
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk());
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      for (int i = 0; i < RECORDS; i++) {
        last = append(journal, i);
      }
      journal.awaitDurable(last);
    }
    return last;
  }

  private static long append(dev.holdfast.spi.Journal journal, int number) {
    byte[] text = ("record " + number + " ".repeat(200)).getBytes(StandardCharsets.UTF_8);
    return journal.append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(text));
  }

  private long adopted() {
    long last;
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk())) {
      last = AdoptedJournal.prepare(new FileDisk(), lock, replica(), () -> 9, (_, _) -> {});
    }
    return last;
  }

  private Path replica() {
    return directory.resolve("shards").resolve("0000");
  }

  private static Map<String, String> segments(Path journal) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.list(journal)) {
      for (Path each : all.filter(file -> file.toString().endsWith(".log")).toList()) {
        found.put(
            String.valueOf(each.getFileName()),
            String.valueOf(Arrays.hashCode(Files.readAllBytes(each))));
      }
    }
    return found;
  }

  @Test
  void recordsStayAndOthersFollow() throws Exception {
    long last = written();
    Map<String, String> before = segments(directory.resolve("journal"));
    assertThat(before).hasSizeGreaterThan(2);

    assertThat(adopted()).isEqualTo(last);
    assertThat(adopted()).isEqualTo(last); // and again, as after a kill
    assertThat(segments(directory.resolve("journal"))).isEqualTo(before);
    written(); // it is still that of a single machine
    last = adopted();
    assertThat(last).isEqualTo(2 * RECORDS);
    Files.move(directory.resolve("journal"), replica().resolve("journal"));

    for (int round = 0; round < 2; round++) {
      last = opened(last);
    }
    Map<String, String> after = segments(replica().resolve("journal"));
    before.keySet().stream()
        .sorted()
        .limit(before.size() - 1L)
        .forEach(each -> assertThat(after.get(each)).isEqualTo(before.get(each)));
  }

  /** Opens the shard on a new log, checks all records, and appends others. */
  private long opened(long last) {
    CompletableFuture<ShardJournal> owned = new CompletableFuture<>();
    try (ExecutorService work = Executors.newSingleThreadExecutor();
        ExecutorService saver = Executors.newSingleThreadExecutor()) {
      SimulatedLog log = SimulatedLog.reliable(work);
      LoneReplica.leaveLog(replica(), new FileDisk()); // each log begins with its first entry
      ShardReplica replica =
          ShardReplica.open(
              replica(),
              ShortSegments.OPTIONS,
              new ShardHost(NODE, clock, saver, Runnable::run, Runnable::run, new Owner(owned)));
      try (replica) {
        ReplicatedLog node = log.on(NODE);
        replica.start(node);
        replica.claim();
        ShardJournal journal = owned.join();
        assertThat(journal.lastPosition()).isEqualTo(last);
        List<Long> found = new ArrayList<>();
        journal.history().forEach(1, last, record -> found.add(record.position()));
        assertThat(found).hasSize((int) last).isSorted();
        long next = last;
        for (int i = 0; i < RECORDS; i++) {
          next = append(journal, i);
        }
        journal.awaitDurable(next);
        journal.close();
        node.close();
        return next;
      }
    }
  }

  private record Owner(CompletableFuture<ShardJournal> owned) implements ShardHost.Owner {

    @Override
    public void mayLead(boolean yes) {}

    @Override
    public void owns(ShardJournal journal) {
      owned.complete(journal);
    }
  }

  /** Another node gets the segments up to the last record: what follows is not in its copy. */
  @Test
  void groupsWithoutRecordsAreNotStated() throws Exception {
    long last;
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk());
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      journal.start(List.of()); // no view needs the record: the close writes a new mark
      last = append(journal, 1);
      journal.awaitDurable(last);
    }
    assertThat(adopted()).isEqualTo(last);
    SavedPoint point = point();
    assertThat(checkedEnd(point)).isEqualTo(point.endOffset());

    Path journal = directory.resolve("journal");
    SegmentHeader header =
        new SegmentHeader(last + 1, point.journalId(), 77, 1, 16384, 0, /* isMarked= */ true);
    Files.write(
        journal.resolve(String.format("%016x.log", last + 1)),
        Arrays.copyOf(header.encode(), 16384));
    Files.delete(directory.resolve("journal.mark"));
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk())) {
      JournalCheck.repair(new FileDisk(), lock);
    }
    assertThat(adopted()).isEqualTo(last);
    assertThat(point()).isEqualTo(point);
  }

  /** As a kill leaves it, and a person. */
  @Test
  void tornEndAndDamagedIndexAndForeignNamesAreNoDamage() throws Exception {
    Path copy = directory.resolve("copy");
    Files.createDirectories(copy);
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk());
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      for (int i = 0; i < RECORDS; i++) {
        journal.awaitDurable(append(journal, i));
      }
      try (Stream<Path> all = Files.list(directory.resolve("journal"))) {
        for (Path each : all.toList()) {
          Files.copy(each, copy.resolve(each.getFileName()));
        }
      }
      Files.copy(directory.resolve("journal.mark"), directory.resolve("mark.copy"));
    }
    Path journal = directory.resolve("journal");
    try (Stream<Path> all = Files.list(journal)) {
      for (Path each : all.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(journal);
    Files.move(copy, journal);
    Files.delete(directory.resolve("journal.mark"));
    Files.move(directory.resolve("mark.copy"), directory.resolve("journal.mark"));
    tearLastGroup(journal);
    Files.writeString(journal.resolve("0000000000000001.index"), "no index");
    Files.writeString(journal.resolve("notes.log"), "of a person");
    Files.writeString(journal.resolve("notes.log.fetched"), "of a person");

    long last = adopted();
    assertThat(last).isEqualTo(RECORDS - 1);
    Files.move(journal, replica().resolve("journal"));
    assertThat(opened(last)).isEqualTo(last + RECORDS);
  }

  /** The log of an adopted node begins without entries, and a node that is added has as many. */
  @Test
  void recordsAreTakenAtAnIndexThatTheReplicaHas() throws Exception {
    final long last = written();
    adopted();
    Files.move(directory.resolve("journal"), replica().resolve("journal"));
    Saved saved = Objects.requireNonNull(new SavedFile(new FileDisk(), replica()).read());
    OwnState there =
        new OwnState(
            new FileDisk(),
            Segments.list(new FileDisk(), replica().resolve("journal")),
            new CopyHold(clock),
            () -> saved,
            _ -> OptionalLong.of(1),
            () -> 0,
            () -> {},
            new OutgoingImage(new FileDisk(), replica(), clock, 1));
    Path other = directory.resolve("other");
    try (ShardReplica replica =
        ShardReplica.open(
            other,
            ShortSegments.OPTIONS,
            new ShardHost(
                new NodeId("b"),
                clock,
                Runnable::run,
                Runnable::run,
                Runnable::run,
                new Joining(there)))) {
      Objects.requireNonNull(replica.fetch(0)).install();
    }
    Saved taken = Objects.requireNonNull(new SavedFile(new FileDisk(), other).read());
    assertThat(taken.point().lastPosition()).isEqualTo(last);
  }

  private record Joining(ReplicaSource others) implements ShardHost.Owner {

    @Override
    public void mayLead(boolean yes) {}

    @Override
    public void owns(ShardJournal journal) {}
  }

  private static void tearLastGroup(Path journal) throws IOException {
    try (Stream<Path> all = Files.list(journal)) {
      Path newest =
          all.filter(each -> each.toString().endsWith(".log")).sorted().toList().getLast();
      byte[] bytes = Files.readAllBytes(newest);
      byte[] text = ("record " + (RECORDS - 1) + " ").getBytes(StandardCharsets.UTF_8);
      int at =
          String.valueOf(new String(bytes, StandardCharsets.ISO_8859_1))
              .indexOf(new String(text, StandardCharsets.ISO_8859_1));
      bytes[at] ^= 1;
      Files.write(newest, bytes);
    }
  }

  private SavedPoint point() throws IOException {
    return Objects.requireNonNull(new SavedFile(new FileDisk(), replica()).read()).point();
  }

  /** {@return where a node that fetches the newest segment finds the end} */
  private long checkedEnd(SavedPoint point) {
    Path file = directory.resolve("journal").resolve("0000000000000001.log");
    return new SegmentCopy(new FileDisk(), point.journalId())
        .checked(file, point.segment(), point.lastPosition() + 1);
  }

  @Test
  void damagedJournalIsRefusedWithTheWayOut() throws Exception {
    written();
    try (RandomAccessFile file =
        new RandomAccessFile(
            directory.resolve("journal").resolve("0000000000000001.log").toFile(), "rw")) {
      file.seek(5000);
      int old = file.read();
      file.seek(5000);
      file.write(old ^ 1);
    }
    assertThatThrownBy(this::adopted)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("./holdfast verify --data");
    assertThat(replica()).doesNotExist();
  }

  @Test
  void journalThatHasDroppedItsBeginningIsAdopted() throws IOException {
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk());
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      journal.start(List.of()); // no view needs a record, and no history is kept
      for (int i = 0; i < RECORDS; i++) {
        journal.awaitDurable(append(journal, i));
      }
    }
    long[] oldest = new long[1];
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk())) {
      AdoptedJournal.prepare(
          new FileDisk(),
          lock,
          replica(),
          () -> 9,
          (records, last) -> {
            oldest[0] = records.oldestPosition();
            assertThat(last).isEqualTo(RECORDS);
          });
    }
    assertThat(oldest[0]).isGreaterThan(1);
    Saved adopted = Objects.requireNonNull(new SavedFile(new FileDisk(), replica()).read());
    assertThat(adopted.lowWaterMark()).isGreaterThanOrEqualTo(oldest[0]);
  }

  @Test
  void emptyJournalIsAdopted() throws Exception {
    try (DirectoryLock lock = DirectoryLock.acquire(directory, new FileDisk());
        FileJournal journal = FileJournal.open(lock, clock, ShortSegments.OPTIONS)) {
      assertThat(journal.lastPosition()).isZero();
    }
    assertThat(adopted()).isZero();
    Files.move(directory.resolve("journal"), replica().resolve("journal"));
    assertThat(opened(0)).isEqualTo(RECORDS);
  }
}
