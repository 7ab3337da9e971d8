package dev.holdfast.runtime.internal.filter;

import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import org.jspecify.annotations.Nullable;

/** A call or a run of an alarm, in the turn of its object. */
public interface Arrival extends Described {

  /** {@return the alarm that runs; null for a call} */
  @Nullable AlarmInfo alarm();

  /** {@return the storage of the object} */
  ObjectStorage storage();

  /**
   * Runs the code of the object.
   *
   * @return its result
   * @throws Throwable whatever it throws
   */
  @Nullable Object run() throws Throwable;
}
