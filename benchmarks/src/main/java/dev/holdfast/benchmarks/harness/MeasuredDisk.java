package dev.holdfast.benchmarks.harness;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The real disk, with its syncs counted and, on demand, made slower. {@code FaultyDisk} does both
 * too, but takes a lock at every operation, which would be measured. All syncs are delayed in
 * parallel, as if the device had a queue of any length: this favours the side that makes many at
 * once, which is the peer.
 *
 * <p>Thread-safe.
 */
public final class MeasuredDisk extends ForwardingDisk {

  private final LongAdder syncs = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private volatile long delayNanos;

  public MeasuredDisk() {
    super(new FileDisk());
  }

  /** Delays every sync from now on. */
  public void delaySyncs(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /** {@return the number of syncs of files and directories} */
  public long syncCount() {
    return syncs.sum();
  }

  /** {@return how many bytes were read from files} */
  public long readBytes() {
    return readBytes.sum();
  }

  @Override
  protected int read(
      Path path, DiskFile file, byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
      throws IOException {
    int count = super.read(path, file, target, targetOffset, lengthBytes, offsetBytes);
    readBytes.add(count);
    return count;
  }

  @Override
  protected void force(Path path, DiskFile file) throws IOException {
    beforeSync();
    super.force(path, file);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    beforeSync();
    super.forceDirectory(directory);
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
}
