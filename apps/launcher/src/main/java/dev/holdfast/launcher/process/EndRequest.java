package dev.holdfast.launcher.process;

import java.util.concurrent.CountDownLatch;

/**
 * The request that this process ends, such as by SIGTERM or an interrupt of the terminal. The
 * process ends once this is closed, after everything that was opened behind it. Thread-safe.
 */
public final class EndRequest implements AutoCloseable {

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  private EndRequest() {}

  /**
   * Begins to hold up the end of the process. Every exit must close the result: otherwise the
   * process never ends.
   *
   * @return counts {@link #asked} down when the process is asked to end
   */
  public static EndRequest expect() {
    EndRequest request = new EndRequest();
    Runtime.getRuntime().addShutdownHook(new Thread(request::askAndWait, "holdfast-end"));
    return request;
  }

  /** {@return reaches zero when the process is asked to end} */
  public CountDownLatch asked() {
    return asked;
  }

  private void askAndWait() {
    asked.countDown();
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the process end. */
  @Override
  public void close() {
    closed.countDown();
  }
}
