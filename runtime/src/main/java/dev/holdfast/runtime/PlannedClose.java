package dev.holdfast.runtime;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A runtime whose objects go on in another one after it is closed, as when a shard is moved. What
 * runs can be waited for while the objects still take calls. Thread-safe.
 */
public interface PlannedClose {

  /**
   * Returns a look at whether anything still runs of what runs now. What begins later does not
   * count.
   *
   * @return true until all of it has ended
   */
  BooleanSupplier running();

  /**
   * {@return whether an error has struck in the engine's own work, so that no call is taken until
   * the objects are opened again}
   */
  boolean hasFailed();

  /** {@return how long the close waits for what runs, unless it is limited} */
  Duration closeTimeout();

  /**
   * Limits how long the close waits for what runs, before it interrupts that.
   *
   * @param limit has no effect if the option of the runtime is shorter
   */
  void limitClose(Duration limit);
}
