package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.ObjectId;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.journal.file.CopiedGroup;
import dev.holdfast.journal.file.CopiedSegments;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Journals of data directories, and one place where they are archived. */
final class ArchivedJournals implements AutoCloseable {

  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));

  /** The file of the view. */
  static final String FILE = "sqlite/position";

  private static final RestoreProgress SILENT = (_, _, _, _) -> {};

  final VirtualClock clock = new VirtualClock();
  private final AtomicLong random = new AtomicLong();
  final Path directory = newDirectory();
  final MemoryStore archive = new MemoryStore();
  final FaultyStore store = new FaultyStore(archive);

  /** Nothing here is lost by a power cut. */
  private final Disk disk =
      new ForwardingDisk(new FileDisk()) {
        @Override
        protected void force(Path path, DiskFile file) {}

        @Override
        public void forceDirectory(Path path) {}
      };

  private static Path newDirectory() {
    try {
      return Files.createTempDirectory("archive");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    FileTree.delete(new FileDisk(), directory);
  }

  /** A journal of a data directory, while it is open. */
  final class Opened implements AutoCloseable {
    private final String name;
    private final DirectoryLock lock;
    final FileJournal journal;

    /** Whether the disk has room for copies. */
    volatile boolean hasRoom = true;

    /** Another file of the view. */
    byte[] large = new byte[0];

    /** By how much the copy of the view is behind. */
    long copyLag;

    /** What the view needs for its history. */
    long floor = Long.MAX_VALUE;

    Opened(String name) {
      this.name = name;
      lock = DirectoryLock.acquire(directory.resolve(name), disk);
      journal =
          FileJournal.open(
              lock, clock, JournalOptions.DEFAULT.withSegmentBytes(8 << 10).withDisk(disk));
    }

    void write(String text) {
      ByteBuffer payload = ByteBuffer.wrap(text.getBytes(UTF_8));
      ChainLink link = ChainLink.after(journal.lastPosition()); // all records are of one object
      journal.awaitDurable(journal.append(RecordKind.BATCH, 1, KEY, link, payload));
    }

    ArchiveWriter writer() {
      return writer(ArchiveOptions.to(store));
    }

    ArchiveWriter writer(ArchiveOptions options) {
      return writer(options, ShardEpoch.NONE);
    }

    ArchiveWriter writer(ArchiveOptions options, ShardEpoch epoch) {
      return new ArchiveWriter(
          options,
          journal.tail(),
          clock,
          new ArchiveWriter.Identity(
              random.incrementAndGet(), clock.wallMillis(), epoch, () -> "a host"),
          new BaseWriter.Host(files(), "writer", Runnable::run, () -> false));
    }

    /** One view with one file: the position as of which it was copied. */
    ArchiveProvider.Files files() {
      return new ArchiveProvider.Files(
          disk, directory.resolve(name), this::copyFile, () -> floor, this::settle);
    }

    private CompletableFuture<Long> settle() {
      write("settled");
      return CompletableFuture.completedFuture(journal.lastPosition());
    }

    private void copyFile(BackupTarget target, Consumer<ViewImage> pinned) throws IOException {
      if (!hasRoom) {
        throw new IOException("no room");
      }
      long position = journal.durablePosition();
      target.put(FILE, Long.toString(position).getBytes(UTF_8));
      target.put("sqlite/large", large);
      pinned.accept(new ViewImage(position + 1 - copyLag, position, clock.wallMillis()));
    }

    List<String> texts() {
      List<String> texts = new ArrayList<>();
      JournalTail tail = journal.tail();
      try {
        for (long at = tail.oldestPosition(); at <= tail.durablePosition(); at++) {
          JournalRecord record = Objects.requireNonNull(tail.read(at, 0)).record(at);
          texts.add(UTF_8.decode(Objects.requireNonNull(record).payload()).toString());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return texts;
    }

    @Override
    public void close() {
      journal.close();
      lock.close();
    }
  }

  List<String> restored(String name, RestoreTarget target) {
    restore(name, target, SILENT);
    try (Opened opened = new Opened(name)) {
      return opened.texts();
    }
  }

  void restore(String name, RestoreTarget target, RestoreProgress progress) {
    restore(disk, name, target, progress);
  }

  void restore(Disk to, String name, RestoreTarget target, RestoreProgress progress) {
    restore(archive, to, name, target, progress);
  }

  List<String> restored(ArchiveStore from, String name, RestoreTarget target) {
    restore(from, disk, name, target, SILENT);
    try (Opened opened = new Opened(name)) {
      return opened.texts();
    }
  }

  /** {@return what a shard has at a moment} */
  List<String> restoredShard(String name, RestoreTarget target) {
    ArchiveRestore.ofShard(
            archive, new ArchiveRestore.Host(disk, clock.wallMillis(), random::incrementAndGet))
        .run(directory.resolve(name), target, null, SILENT);
    try (Opened opened = new Opened(name)) {
      return opened.texts();
    }
  }

  private void restore(
      ArchiveStore from, Disk to, String name, RestoreTarget target, RestoreProgress progress) {
    new ArchiveRestore(
            from, new ArchiveRestore.Host(to, clock.wallMillis(), random::incrementAndGet))
        .run(directory.resolve(name), target, null, progress);
  }

  /** Makes a directory whose journal is that of another one, without the records before one. */
  void dropBefore(long position, String from, String to) throws IOException {
    try (Opened opened = open(from)) {
      JournalTail tail = opened.journal.tail();
      RestoredJournal.Origin origin =
          new RestoredJournal.Origin(tail.journalId(), position, position, position, 0);
      try (RestoredJournal copy =
          new RestoredJournal(
              disk,
              directory.resolve(to),
              origin,
              _ -> true,
              new HashSet<>(),
              random::incrementAndGet)) {
        for (long next = position; next <= tail.durablePosition(); next = copy.nextPosition()) {
          JournalChunk chunk = Objects.requireNonNull(tail.read(next, 1 << 20));
          copy.add(chunk, chunk.lastPosition());
        }
        copy.finish();
      }
    }
  }

  /**
   * Makes a directory as a division of several does: one of them had dropped what was before the
   * beginning, and another one has records from before it.
   */
  void divided(String to, Instant begun, List<String> texts) throws IOException {
    Path data = directory.resolve(to);
    disk.createDirectories(data);
    Path segments = data.resolve(FileJournal.DIRECTORY_NAME);
    long first = 3;
    try (CopiedSegments copy =
        new CopiedSegments(disk, segments, 7, first, 8 << 10, random::incrementAndGet)) {
      copy.needFrom(first);
      CopiedGroup group = new CopiedGroup();
      for (String text : texts) {
        ChainLink link = ChainLink.after(first - 1 + group.count());
        ByteBuffer payload = ByteBuffer.wrap(text.getBytes(UTF_8));
        group.add(clock.wallMillis(), RecordKind.BATCH, 1, KEY, link, payload);
      }
      group.writeTo(copy, begun.toEpochMilli());
      copy.finish(new MarkFile(disk, data.resolve(FileJournal.MARK_FILE_NAME)));
    }
  }

  Opened open(String name) {
    return new Opened(name);
  }
}
