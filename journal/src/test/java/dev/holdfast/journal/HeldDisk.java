package dev.holdfast.journal;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * A disk whose syncs of segments can be held back, so that a test sees what happens meanwhile.
 * Thread-safe.
 */
final class HeldDisk implements Disk {

  private final Disk disk = new FileDisk();
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore allowed = new Semaphore(0);
  private final List<Thread> leaders = new ArrayList<>(); // guarded by this
  private volatile boolean held;

  /** From now on every sync of a segment waits for {@link #letOne}. */
  void hold() {
    held = true;
  }

  /** Waits until a sync has begun that is held back. */
  void awaitHeld() {
    begun.acquireUninterruptibly();
  }

  void letOne() {
    allowed.release();
  }

  void letAll() {
    held = false;
    allowed.release(1_000_000);
  }

  /** {@return the threads that synced segments, in order} */
  synchronized List<Thread> leaders() {
    return List.copyOf(leaders);
  }

  private void pass(Path file) {
    if (file.toString().endsWith(".log")) {
      synchronized (this) {
        leaders.add(Thread.currentThread());
      }
      if (held) {
        begun.release();
        allowed.acquireUninterruptibly();
      }
    }
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    return new HeldFile(file, disk.open(file, mode));
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
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  private final class HeldFile implements DiskFile {
    private final Path path;
    private final DiskFile file;

    HeldFile(Path path, DiskFile file) {
      this.path = path;
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
      file.write(source, sourceOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void force() throws IOException {
      pass(path);
      file.force();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      file.truncate(sizeBytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
