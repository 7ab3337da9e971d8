package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.ObjectId;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Journals of data directories, and one place where they are archived. */
final class ArchivedJournals implements AutoCloseable {

  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));
  private static final RestoreProgress SILENT = (_, _, _) -> {};

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
    ArchiveRestore.deleteAll(directory);
  }

  /** A journal of a data directory, while it is open. */
  final class Opened implements AutoCloseable {
    private final DirectoryLock lock;
    final FileJournal journal;

    Opened(String name) {
      lock = DirectoryLock.acquire(directory.resolve(name), disk);
      journal =
          FileJournal.open(
              lock, clock, JournalOptions.DEFAULT.withSegmentBytes(8 << 10).withDisk(disk));
    }

    void write(String text) {
      ByteBuffer payload = ByteBuffer.wrap(text.getBytes(UTF_8));
      journal.awaitDurable(journal.append(RecordKind.BATCH, 1, KEY, payload));
    }

    ArchiveWriter writer() {
      return new ArchiveWriter(
          new ArchiveFiles(store),
          journal.tail(),
          clock,
          new ArchiveWriter.Identity(random.incrementAndGet(), clock.wallMillis(), () -> "a host"));
    }

    List<String> texts() {
      List<String> texts = new ArrayList<>();
      journal.recoveryLog().forEach(record -> texts.add(UTF_8.decode(record.payload()).toString()));
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
    new ArchiveRestore(
            archive, new ArchiveRestore.Host(to, clock.wallMillis(), random::incrementAndGet))
        .run(directory.resolve(name), target, null, progress);
  }

  Opened open(String name) {
    return new Opened(name);
  }
}
