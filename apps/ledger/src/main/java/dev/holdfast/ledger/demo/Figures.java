package dev.holdfast.ledger.demo;

import dev.holdfast.ledger.Outcome;
import dev.holdfast.ledger.Transfer;
import java.io.PrintStream;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The measurements of the demo, taken in the parent process. Only first answers count: a transfer
 * that was answered before is looked up, not executed. Owned by one thread.
 */
final class Figures {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final LongStream.Builder latencies = LongStream.builder();
  private long recoveryNanos;
  private long answeringNanos;
  private long lastAnswerNanos;
  private boolean firstOfRun;

  /**
   * Records that a process was started; the time until its first new answer is start-up, not
   * throughput.
   */
  void started() {
    firstOfRun = true;
  }

  void answered(long latencyNanos) {
    long nowNanos = System.nanoTime();
    if (!firstOfRun) {
      answeringNanos += nowNanos - lastAnswerNanos;
    }
    firstOfRun = false;
    lastAnswerNanos = nowNanos;
    latencies.add(latencyNanos);
  }

  void recovered(long nanos) {
    recoveryNanos = nanos;
  }

  long recoveryMillis() {
    return Math.round(recoveryNanos / NANOS_PER_MILLI);
  }

  void print(PrintStream out, DemoDirectory directory, Map<Transfer, Outcome> answers) {
    long[] sorted = latencies.build().sorted().toArray();
    long refused = answers.values().stream().filter(each -> each == Outcome.REFUSED).count();
    out.printf("transfers       %,d accepted, %,d refused%n", answers.size() - refused, refused);
    out.printf(
        "throughput      %,.0f durable transfers a second (three turns each; both runs, cold"
            + " JVM)%n",
        sorted.length / (answeringNanos / NANOS_PER_SECOND));
    out.printf(
        "latency         p50 %.1f ms, p99 %.1f ms from call to durable answer%n",
        percentileMillis(sorted, 0.50), percentileMillis(sorted, 0.99));
    out.printf("recovery        %,d ms to open what the killed process left%n", recoveryMillis());
    out.printf("data            %s (%,.1f MB)%n", directory.ledger(), directory.sizeBytes() / 1e6);
  }

  private static double percentileMillis(long[] sorted, double share) {
    int index = (int) Math.ceil(share * sorted.length) - 1;
    return sorted.length == 0
        ? 0
        : sorted[Math.clamp(index, 0, sorted.length - 1)] / NANOS_PER_MILLI;
  }
}
