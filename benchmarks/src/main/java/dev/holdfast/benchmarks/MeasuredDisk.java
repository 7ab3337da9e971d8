package dev.holdfast.benchmarks;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The real disk, with its syncs counted and, on demand, made slower. The testkit's {@code
 * FaultyDisk} does both too, but takes a lock at every operation, which would be measured. All
 * syncs are delayed in parallel, as if the device had a queue of any length: that is to the
 * advantage of whoever makes many at once, which is the peer.
 *
 * <p>Thread-safe.
 */
final class MeasuredDisk implements Disk {

  private final Disk disk = new FileDisk();
  private final LongAdder syncs = new LongAdder();
  private volatile long delayNanos;

  /** Makes every sync from now on so much longer. */
  void delaySyncs(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /** {@return how many syncs of files and directories there were} */
  long syncCount() {
    return syncs.sum();
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    return new MeasuredFile(disk.open(file, mode));
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
    beforeSync();
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  private void beforeSync() {
    syncs.increment();
    long wantedNanos = delayNanos;
    long start = wantedNanos == 0 ? 0 : System.nanoTime();
    // A park may end early, so it is repeated until the time is over.
    for (long left = wantedNanos; left > 0; left = wantedNanos - (System.nanoTime() - start)) {
      LockSupport.parkNanos(left);
    }
  }

  private final class MeasuredFile implements DiskFile {
    private final DiskFile file;

    MeasuredFile(DiskFile file) {
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
      beforeSync();
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
