package dev.holdfast.operate.restore;

import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.operate.Output;
import java.util.concurrent.TimeUnit;

/** Prints what a restore has done, once in a second, unless the answer is for programs. */
final class ProgressLines implements RestoreProgress {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Output output;
  private final long begunNanos = System.nanoTime();
  private long printedNanos = begunNanos;

  ProgressLines(Output output) {
    this.output = output;
  }

  long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos);
  }

  @Override
  public void restored(long bytes, long bytesMax, long position) {
    long now = System.nanoTime();
    if (output.isJson() || now - printedNanos < EVERY_NANOS) {
      return;
    }
    printedNanos = now;
    double rate = bytes / ((now - begunNanos) / 1e9);
    output
        .out()
        .println(
            Bytes.text(bytes)
                + " of at most "
                + Bytes.text(bytesMax)
                + ", position "
                + position
                + ", "
                + Bytes.text((long) rate)
                + "/s, at most "
                + Math.round((bytesMax - bytes) / rate)
                + " s left");
    output.out().flush();
  }
}
