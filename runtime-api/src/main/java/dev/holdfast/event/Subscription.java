package dev.holdfast.event;

/** Events that are being delivered. Ends with the runtime, or earlier with {@link #close}. */
public interface Subscription extends AutoCloseable {

  /**
   * Ends the deliveries. Waits for one that runs, except on the thread of that delivery itself.
   * Closing twice has no effect. What the data directory knows of a consumer stays.
   */
  @Override
  void close();
}
