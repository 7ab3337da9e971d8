package dev.holdfast.simulation;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk of a runtime under test: the real one, with failures that the test asks for. Only what
 * Holdfast writes itself passes here; SQLite and RocksDB write their own files. Thread-safe.
 */
public final class TestDisk implements Disk {

  private final Disk disk = new FileDisk();

  private volatile boolean isFull;
  private volatile boolean syncsFail;
  private volatile boolean isGone;

  TestDisk() {}

  /**
   * Makes the next sync of the journal fail, and with it the journal: the runtime refuses calls
   * until it is restarted. Syncs of other files fail, too, until then.
   */
  public void failNextSync() {
    syncsFail = true;
  }

  /** Makes every write that needs room fail, until {@link #free}. */
  public void fill() {
    isFull = true;
  }

  /** Gives the disk room again. */
  public void free() {
    isFull = false;
  }

  /** A runtime opens on it. */
  void repair() {
    syncsFail = false;
  }

  /** The process that used this disk is dead: nothing of it reaches a file any more. */
  void die() {
    isGone = true;
  }

  private void requireThere() throws IOException {
    if (isGone) {
      throw new IOException("The process of this disk has crashed");
    }
  }

  private void requireRoom() throws IOException {
    requireThere();
    if (isFull) {
      throw new IOException("No space left on device (the test has filled the disk)");
    }
  }

  private void sync() throws IOException {
    requireThere();
    if (syncsFail) {
      throw new IOException("Input/output error (the test made this sync fail)");
    }
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    if (mode == Mode.CREATE) {
      requireRoom();
    } else {
      requireThere();
    }
    return new TestFile(disk.open(file, mode));
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    requireRoom();
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    requireThere();
    disk.delete(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    requireThere();
    disk.move(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    sync();
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return isFull ? 0 : disk.usableBytes(directory);
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public boolean isWritable(Path directory) {
    return !isGone && disk.isWritable(directory);
  }

  private final class TestFile implements DiskFile {

    private final DiskFile file;

    TestFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      return file.read(target, targetOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      requireRoom();
      file.write(source, sourceOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void force() throws IOException {
      sync();
      file.force();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      requireThere();
      file.truncate(sizeBytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
