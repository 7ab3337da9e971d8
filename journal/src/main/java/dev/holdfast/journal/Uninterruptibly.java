package dev.holdfast.journal;

/** Waiting that an interrupt does not end; the interrupt flag is set again afterwards. */
final class Uninterruptibly {

  private Uninterruptibly() {}

  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
