package dev.holdfast.testkit;

/** Where classes of the {@link InterleavingClassLoader} call in; public only for that. */
public final class InterleavingPoint {

  private InterleavingPoint() {}

  /** Lets another thread run, if the schedule wants it. */
  @SuppressWarnings("ThreadPriorityCheck") // here a yield is a choice of the schedule, not a hint
  public static void pass() {
    Thread thread = Thread.currentThread();
    if (thread.isVirtual()) {
      DeterministicScheduler scheduler = DeterministicScheduler.of(thread);
      if (scheduler != null && scheduler.wantsInterleaving()) {
        Thread.yield();
      }
    }
  }
}
