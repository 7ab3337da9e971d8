package dev.holdfast.journal;

import dev.holdfast.faults.ForwardingDisk;
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
final class HeldDisk extends ForwardingDisk {

  private final Semaphore begun = new Semaphore(0);
  private final Semaphore allowed = new Semaphore(0);
  private final List<Thread> leaders = new ArrayList<>(); // guarded by this
  private volatile boolean held;

  HeldDisk() {
    super(new FileDisk());
  }

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
  protected void force(Path path, DiskFile file) throws IOException {
    pass(path);
    super.force(path, file);
  }
}
