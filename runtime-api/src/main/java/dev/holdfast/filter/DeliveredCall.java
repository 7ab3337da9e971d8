package dev.holdfast.filter;

import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import java.util.Optional;

/**
 * A call that an object has received, or a run of an alarm, in the object's turn. It proceeds at
 * most once: one event is delivered once. A filter that does not proceed answers itself; an alarm
 * then counts as handled.
 */
public interface DeliveredCall extends FilteredCall {

  /**
   * {@return the alarm that runs; empty for a call} Its headers are those that were kept when it
   * was set, see {@link Headers#keep}.
   */
  Optional<AlarmInfo> alarm();

  /**
   * Returns the object's storage. Keys and tables are shared with the object's code; use a prefix
   * of your own. A write before {@link #proceed()} is in the batch of the first turn, a write after
   * it in the batch of the last; without a wait between them, both are the same turn.
   *
   * @return the storage; used by this filter only, and as object code uses it
   */
  ObjectStorage storage();
}
