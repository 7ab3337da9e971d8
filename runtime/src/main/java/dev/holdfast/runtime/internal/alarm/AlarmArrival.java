package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.ObjectId;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.runtime.internal.filter.Arrival;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.ObjectStorage;
import org.jspecify.annotations.Nullable;

/**
 * A run of a handler, as filters see it. Confined to the turn.
 *
 * @param key the object
 * @param handler of the object
 * @param alarm that runs
 * @param storage of the object
 */
record AlarmArrival(ObjectKey key, AlarmHandler handler, AlarmInfo alarm, ObjectStorage storage)
    implements Arrival {

  @Override
  public String namespace() {
    return key.namespace();
  }

  @Override
  public ObjectId id() {
    return key.id();
  }

  @Override
  public String operationName() {
    return "alarm";
  }

  @Override
  public @Nullable Object[] arguments() {
    return new Object[] {alarm};
  }

  @Override
  public @Nullable Object run() throws Exception {
    handler.alarm(alarm);
    return null;
  }
}
