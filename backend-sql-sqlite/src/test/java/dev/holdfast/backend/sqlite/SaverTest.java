package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.database.DatabaseCounters;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.file.SavedStates;
import dev.holdfast.backend.sqlite.save.Saver;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Saving in the background, at moments when something else happens to the object. */
final class SaverTest {

  /** Kept: the log manager drops unreferenced loggers, and each fault is reported. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir private Path root;

  @BeforeAll
  static void silenceWantedFailures() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void reportAgain() {
    LOG.setLevel(null);
  }

  /** The log of the failed turn was abandoned, so the file never got what was sealed before. */
  @Test
  void objectThatFailedWhileItsSaveWaitedIsNotTakenForAnEvictedOne() throws Exception {
    try (SqliteHost host =
        SqliteHost.withLogs(
            root,
            2,
            new SqliteBackend.Access(new FileDisk(), SqliteLibrary.jdbc()),
            Durability.MANUAL)) {
      long position = commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.journal.awaitWaiters(1);
      failSoThatItCannotBeReverted(host);

      host.journal.makeAllDurable();
      host.backend.awaitIdle();
      assertThat(host.journal.records())
          .noneMatch(record -> record.kind() != RecordKind.BATCH && record.key().equals(object(1)));
      assertThat(host.backend.lowWaterMark()).isEqualTo(position);

      host.crashAt(position, after -> delete(ObjectFiles.wal(after.file(object(1)))));
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  /** Callers that wait for the objects come first; the journal keeps its records until then. */
  @Test
  void whatWasRedoneIsSavedWhenTheJournalSays() throws Exception {
    InMemoryJournal memory = new InMemoryJournal(Durability.ON_WAIT);
    VirtualClock clock = new VirtualClock();
    ForwardingJournal later =
        new ForwardingJournal(memory) {
          @Override
          public long savedAfterNanos() {
            return 1_000;
          }
        };
    StorageThreads threads = new StorageThreads(1);
    try (threads;
        SqliteBackend writer = backend("writer", memory, threads, clock);
        SqliteBackend opened = backend("opened", later, threads, clock)) {
      writer.recover(memory);
      commit(writer.store(object(1)), turn -> turn.put(bytes("a"), bytes("1")));
      memory.awaitDurable(memory.lastPosition());
      opened.recover(memory);

      opened.awaitIdle();
      clock.advance(Duration.ofNanos(999));
      opened.awaitIdle();
      assertThat(get(opened.store(object(1)), "a")).isEqualTo(bytes("1"));
      assertThat(memory.records()).noneMatch(SaverTest::isCheckpointOfOne);

      clock.advance(Duration.ofNanos(1));
      CountDownLatch requested = new CountDownLatch(1);
      threads.execute(requested::countDown); // after the request, as there is one thread
      requested.await();
      opened.awaitIdle();
      assertThat(memory.records()).anyMatch(SaverTest::isCheckpointOfOne);
    }
  }

  private SqliteBackend backend(
      String name, Journal journal, StorageThreads threads, VirtualClock clock) {
    return new SqliteBackend(
        journal, threads, clock, new FileDisk(), new SqliteOptions(root.resolve(name), 4));
  }

  private static boolean isCheckpointOfOne(JournalRecord record) {
    return record.kind() == RecordKind.CHECKPOINT && record.key().equals(object(1));
  }

  /** Recovery has nothing to write for it, so the file does not show it. */
  @Test
  void batchWithoutPagesThatWasRecoveredAndSavedIsFollowedByTheNext() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      long restored = host.store(1).restore((_, _) -> {});
      host.crashAt(restored);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1")); // from here on it is open
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      assertThat(host.isSaved()).isTrue();

      long next = commit(host.store(1), turn -> turn.put(bytes("a"), bytes("2")));
      assertThat(host.journal.records())
          .filteredOn(record -> record.position() == next)
          .extracting(JournalRecord::link)
          .containsExactly(ChainLink.after(restored));
    }
  }

  /** Puts a directory in the place of the log, which then cannot be truncated. */
  private static void failSoThatItCannotBeReverted(SqliteHost host) throws IOException {
    StoreTurn turn = host.store(1).beginTurn();
    turn.put(bytes("a"), bytes("2"));
    Path wal = ObjectFiles.wal(host.file(object(1)));
    host.journal.refuseNextAppend(new DataDirectoryException(wal, "full", null));
    Files.delete(wal);
    Files.createDirectory(wal);
    assertThatExceptionOfType(RuntimeException.class).isThrownBy(turn::seal);
    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(() -> host.store(1).beginTurn());
  }

  /** Pages of the file may have reverted to old content, in the system's cache too. */
  @Test
  void hotObjectIsRefusedOnceTheSyncOfItsFileHasFailed() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      ObjectStore hot = host.store(1);
      long position = commit(hot, turn -> turn.put(bytes("a"), bytes("1")));
      // Not the catalog, whose sync may come first.
      disk.affectOnly(host.file(Objects.object(1))::equals);
      disk.fail(Operation.FORCE, 1);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();

      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(hot::beginTurn)
          .withMessageContaining("could not be made durable");
      assertThat(host.backend.lowWaterMark()).isEqualTo(position);
      assertThat(get(host.store(2), "a")).isNull();

      host.crashAt(host.journal.lastPosition());
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  /** Counts the syncs of directories, fails that of one, and runs work right after others. */
  private static final class CountingDisk extends ForwardingDisk {
    private final Map<Path, Integer> syncs = new ConcurrentHashMap<>();
    private final Map<Path, Work> following = new ConcurrentHashMap<>();
    private volatile @Nullable Path failing;

    CountingDisk() {
      super(new FileDisk());
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      syncs.merge(directory, 1, Integer::sum);
      if (directory.equals(failing)) {
        failing = null; // only once: the system reports a failure once, too
        throw new IOException("the test fails this sync");
      }
      super.forceDirectory(directory);
      Work next = following.remove(directory);
      if (next != null) {
        next.run();
      }
    }
  }

  /** Most of the time of a close with many new objects would go into these syncs. */
  @Test
  void directoryOfSeveralNewFilesIsSyncedOnce() {
    CountingDisk disk = new CountingDisk();
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      commitInOneDirectory(host, 6);
      Path directory = ObjectFiles.directory(host.file(ofOneDirectory(0)));
      assertThat(disk.syncs).doesNotContainKey(directory);
      int before = syncs(disk, directory.getParent());
      host.restart();

      assertThat(disk.syncs).containsEntry(directory, 1);
      assertThat(syncs(disk, directory.getParent())).isEqualTo(before + 1);
      assertThat(host.isSaved()).isTrue();
    }
  }

  private static int syncs(CountingDisk disk, @Nullable Path directory) {
    return disk.syncs.getOrDefault(directory, 0);
  }

  private static void commitInOneDirectory(SqliteHost host, int objects) {
    for (int i = 0; i < objects; i++) {
      commit(host.backend.store(ofOneDirectory(i)), turn -> turn.put(bytes("a"), bytes("1")));
    }
  }

  private static ObjectKey ofOneDirectory(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[ObjectId.LENGTH_BYTES - 1] = (byte) number;
    return new ObjectKey("tests", ObjectId.of(id, null));
  }

  @Test
  void objectsAreNotSavedInADirectoryWhoseSyncHasFailed() {
    CountingDisk disk = new CountingDisk();
    try (SqliteHost host = new SqliteHost(root, 1, disk)) {
      commitInOneDirectory(host, 3);
      disk.failing = ObjectFiles.directory(host.file(ofOneDirectory(0))).getParent();
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();

      assertThat(host.backend.lowWaterMark()).isEqualTo(1);
      assertThat(host.journal.records())
          .noneMatch(
              record ->
                  record.kind() == RecordKind.CHECKPOINT
                      && record.key().id().name().isEmpty()
                      && record.key().namespace().equals("tests"));
      host.crashAt(host.journal.lastPosition());
      for (int i = 0; i < 3; i++) {
        assertThat(get(host.backend.store(ofOneDirectory(i)), "a")).isEqualTo(bytes("1"));
      }
    }
  }

  /** The sync of the parent may not have seen it; a power cut would take its files with it. */
  @Test
  void directoryThatIsMadeWhileItsParentIsSyncedWaitsForAnotherSync() throws IOException {
    CountingDisk disk = new CountingDisk();
    ObjectFiles files = new ObjectFiles(disk, root.resolve("sqlite"));
    files.ensureRoot();
    Path first = files.database(object(1));
    Path second = files.database(object(2));
    Path directory = ObjectFiles.directory(second);
    Path parent = ObjectFiles.directory(directory);
    files.prepare(first);
    disk.following.put(parent, () -> files.prepare(second));
    files.forceEntries(ObjectFiles.directory(first));
    assertThat(directory).isDirectory();
    assertThat(disk.syncs).containsEntry(parent, 1);

    files.forceEntries(directory);
    assertThat(disk.syncs).containsEntry(parent, 2);
    files.forceEntries(directory);
    assertThat(disk.syncs).containsEntry(parent, 2);
  }

  /** Reads a file once before it is written, and returns that content afterwards. */
  private static final class SlowReads extends ForwardingDisk {
    private final CountDownLatch read = new CountDownLatch(1);
    private final Semaphore written = new Semaphore(0);
    private volatile @Nullable Path slow;

    SlowReads() {
      super(new FileDisk());
    }

    @Override
    protected int read(
        Path path, DiskFile file, byte[] target, int targetOffset, int lengthBytes, long offset)
        throws IOException {
      int count = super.read(path, file, target, targetOffset, lengthBytes, offset);
      if (path.equals(slow)) {
        slow = null;
        read.countDown();
        written.acquireUninterruptibly();
      }
      return count;
    }
  }

  /** The content read is neither the old nor the current content of the file. */
  @Test
  void objectThatIsWrittenWhileItsClosedFileIsReadIsNotTakenForDamaged() throws Exception {
    SlowReads disk = new SlowReads();
    try (SqliteHost host = new SqliteHost(root, 1, disk)) {
      for (int key = 0; key < 40; key++) {
        String name = "key " + key;
        commit(host.store(1), turn -> turn.put(bytes(name), new byte[10_000]));
      }
      host.restart();
      commit(host.store(1), turn -> turn.put(bytes("key 0"), bytes("1")));
      assertThat(get(host.store(2), "a")).isNull(); // which closes the other

      disk.slow = host.file(object(1));
      host.backend.checkpointBefore(Long.MAX_VALUE);
      disk.read.await();
      commit(host.store(1), turn -> turn.put(bytes("key 0"), new byte[10_000]));
      assertThat(get(host.store(2), "a")).isNull();
      disk.written.release();
      host.backend.awaitIdle();

      assertThat(get(host.store(1), "key 0")).hasSize(10_000);
      host.restart();
      assertThat(host.isSaved()).isTrue();
      assertThat(get(host.store(1), "key 0")).hasSize(10_000);
    }
  }

  private static final class NothingSaved implements SavedStates {
    @Override
    public @Nullable SavedState savedState(ObjectKey key) {
      return null;
    }

    @Override
    public @Nullable PageSums pageSums(ObjectKey key, SavedState state) {
      return null;
    }
  }

  /** The eviction checked before the request was made, and the save found the object in use. */
  @Test
  void databaseThatWasEvictedBeforeItWasClaimedIsAskedForAgain()
      throws IOException, SqliteException {
    try (StorageThreads threads = new StorageThreads(1);
        InMemoryJournal journal = new InMemoryJournal()) {
      ObjectFiles files = new ObjectFiles(new FileDisk(), root.resolve("sqlite"));
      Unsaved unsaved = new Unsaved();
      SavedFiles saved =
          new SavedFiles(
              new FileDisk(),
              new NothingSaved(),
              (_, _, _, _) -> false,
              key -> unsaved.state(key) != null);
      DatabaseCounters counters = new DatabaseCounters(new VirtualClock(), StorageEvents.NONE);
      DatabaseCache cache =
          new DatabaseCache(
              journal,
              threads,
              SqliteLibrary.jdbc(),
              new DatabaseCache.Bounds(files, saved, unsaved, 1, /* memoryBytesMax= */ 0),
              counters);
      Saver saver =
          new Saver(
              new Saver.Ports(journal, 1, threads, saved, (_, _, _) -> {}, counters),
              files,
              unsaved,
              cache);
      OpenDatabase found = cache.claim(object(1));
      unsaved.appending(object(1), 0, true);
      unsaved.appended(
          object(1),
          journal.append(RecordKind.BATCH, 1, object(1), ChainLink.FIRST, ByteBuffer.allocate(0)));
      cache.release(found);
      cache.release(cache.claim(object(2)));
      assertThat(found.isClosed()).isTrue();

      Unsaved.State state = java.util.Objects.requireNonNull(unsaved.state(object(1)));
      saver.saveOpen(found, state);
      saver.awaitIdle();
      assertThat(unsaved.count()).isZero();
      saver.close();
      cache.all().forEach(SaverTest::abandon);
    }
  }

  private static void abandon(OpenDatabase database) {
    try {
      database.abandon();
    } catch (IOException | SqliteException e) {
      throw new AssertionError(e);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
