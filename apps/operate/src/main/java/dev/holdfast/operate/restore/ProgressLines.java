package dev.holdfast.operate.restore;

import dev.holdfast.archive.RestoreProgress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Prints what a restore has done, once in a second. Confined to one thread. */
final class ProgressLines implements RestoreProgress {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<String> lines;
  private final LongSupplier nanoTime;
  private final long begunNanos;
  private long printedNanos;

  /**
   * Begins to measure the time.
   *
   * @param lines receives the lines
   * @param nanoTime the time in nanoseconds, from any origin
   */
  ProgressLines(Consumer<String> lines, LongSupplier nanoTime) {
    this.lines = lines;
    this.nanoTime = nanoTime;
    this.begunNanos = nanoTime.getAsLong();
    this.printedNanos = begunNanos;
  }

  long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - begunNanos);
  }

  @Override
  public void restored(long objects, long bytes, long bytesMax, long position) {
    long now = nanoTime.getAsLong();
    if (now - printedNanos < EVERY_NANOS) {
      return;
    }
    printedNanos = now;
    double rate = bytes / ((now - begunNanos) / 1e9);
    lines.accept(
        objects
            + " objects, "
            + Bytes.text(bytes)
            + " of at most "
            + Bytes.text(bytesMax)
            + ", position "
            + position
            + ", "
            + Bytes.text((long) rate)
            + "/s"
            + (rate > 0
                ? ", at most " + (long) Math.ceil((bytesMax - bytes) / rate) + " s left"
                : ""));
  }
}
