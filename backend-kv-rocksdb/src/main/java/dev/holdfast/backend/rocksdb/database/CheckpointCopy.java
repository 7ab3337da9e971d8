package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.BackupTarget.Part;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.rocksdb.RocksDBException;

/**
 * Copies a checkpoint of the database: RocksDB links its tables into a directory beside the data.
 * What the checkpoint has was applied, so it was durable in the journal before; the rest is in the
 * journal, which keeps its low-water mark meanwhile.
 *
 * <p>Confined to one thread.
 */
public final class CheckpointCopy implements FilesCopy {

  private static final String TABLE_SUFFIX = ".sst";

  /** The end of a table has the identity of the session that made it, and its number. */
  private static final int IDENTITY_BYTES = 64 << 10;

  private final Disk disk = new FileDisk();
  private final BackupTarget target;
  private final Database database;
  private final FlushedMark mark;
  private final long journalId;
  private final Path checkpoint;
  private final ReentrantLock copying;

  private boolean isCopied;
  private boolean closed;

  /**
   * Begins the copy.
   *
   * @param copying held until the copy is closed
   */
  public CheckpointCopy(
      BackupTarget target,
      Database database,
      FlushedMark mark,
      long journalId,
      ReentrantLock copying) {
    this.target = target;
    this.database = database;
    this.mark = mark;
    this.journalId = journalId;
    this.copying = copying;
    Path directory = database.directory();
    this.checkpoint = directory.resolveSibling(directory.getFileName() + ".checkpoint");
    copying.lock();
  }

  @Override
  public int copyFiles() throws IOException {
    if (isCopied) {
      return 0;
    }
    isCopied = true;
    FileTree.delete(disk, checkpoint); // of a process that was killed
    // Before the checkpoint: the mark must not be above what the checkpoint has.
    Path markFile = mark.file();
    long flushed = mark.position();
    try {
      database.checkpoint(checkpoint);
    } catch (RocksDBException e) {
      throw new IOException("RocksDB made no checkpoint: " + e.getMessage(), e);
    }
    int count = 0;
    for (Path file : disk.list(checkpoint)) {
      copy(file);
      count++;
    }
    if (markFile != null) {
      target.put(String.valueOf(markFile.getFileName()), FlushedMark.encode(flushed, journalId));
    }
    FileTree.delete(disk, checkpoint);
    return count;
  }

  private void copy(Path file) throws IOException {
    String name = database.directory().getFileName() + "/" + file.getFileName();
    if (!name.endsWith(TABLE_SUFFIX)) {
      target.put(Source.whole(name, file, () -> null));
      return;
    }
    String version = version(file);
    if (!target.keep(name, version)) {
      target.put(new Source(name, file, Part.IMMUTABLE, () -> version));
    }
  }

  private String version(Path table) throws IOException {
    byte[] end = new byte[IDENTITY_BYTES];
    try (DiskFile open = disk.open(table, Mode.READ)) {
      long size = open.size();
      int length = open.read(end, 0, end.length, Math.max(0, size - end.length));
      CRC32C sum = new CRC32C();
      sum.update(end, 0, length);
      return String.format("%x.%08x", size, sum.getValue());
    }
  }

  @Override
  public void hold() {}

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      FileTree.delete(disk, checkpoint);
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(
              System.Logger.Level.WARNING,
              "The directory " + checkpoint + " stays; the next backup deletes it",
              e);
    } finally {
      copying.unlock();
    }
  }
}
