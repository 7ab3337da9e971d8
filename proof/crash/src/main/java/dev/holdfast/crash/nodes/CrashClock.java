package dev.holdfast.crash.nodes;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.time.Duration;
import java.util.Map;

/**
 * The wall clock of a node that is disturbed: the clock of the machine, or one that is off. The
 * node reads it in the place of the machine's, wherever the product reads a clock. Thread-safe.
 */
public final class CrashClock {

  /** An alarm that was due when the clock went back may run this much later. */
  private static final Duration RECENTLY = Duration.ofSeconds(10);

  private static final CrashClock OF_THIS_NODE = new CrashClock(Offset.NONE);

  private volatile Offset offset;

  /**
   * How far the clock is off.
   *
   * @param millis ahead of the clock of the machine; negative if behind
   * @param millisBefore how far it was off before
   * @param sinceNanos since when
   */
  private record Offset(long millis, long millisBefore, long sinceNanos) {

    static final Offset NONE = new Offset(0, 0, 0);
  }

  private CrashClock(Offset offset) {
    this.offset = offset;
  }

  /** {@return the time source of the product that reads this clock} */
  static ReplacedMethods planted() {
    return new ReplacedMethods(
        "dev/holdfast/runtime/SystemTimeSource.class",
        Map.of(
            "wallMillis",
            code ->
                code.invokestatic(
                        ClassDesc.of(CrashClock.class.getName()),
                        "wallMillis",
                        MethodTypeDesc.of(ConstantDescs.CD_long))
                    .lreturn()));
  }

  /** {@return the time of this node, in milliseconds since 1970} */
  public static long wallMillis() {
    return System.currentTimeMillis() + OF_THIS_NODE.offset.millis();
  }

  /** Lets the clock of this node jump. */
  static void jump(Duration ahead) {
    OF_THIS_NODE.offset =
        new Offset(ahead.toMillis(), OF_THIS_NODE.offset.millis(), System.nanoTime());
  }

  /** {@return the latest time that the clock of this node has shown in the last ten seconds} */
  static long latestMillis() {
    Offset now = OF_THIS_NODE.offset;
    boolean isRecent = System.nanoTime() - now.sinceNanos() < RECENTLY.toNanos();
    return System.currentTimeMillis()
        + (isRecent ? Math.max(now.millis(), now.millisBefore()) : now.millis());
  }
}
