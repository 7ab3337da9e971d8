package dev.holdfast.crash.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;

/** A bell, which rings by an alarm. */
final class BellObject implements Bell, AlarmHandler {

  private static final String TIME = "time";
  private static final String RING = "ring-";

  private final ObjectStorage storage;
  private final LongSupplier wallMillis;

  BellObject(ObjectContext context, LongSupplier wallMillis) {
    this.storage = context.storage();
    this.wallMillis = wallMillis;
  }

  @Override
  public long set(long millis) {
    storage.put(TIME, millis);
    storage.setAlarm(Instant.ofEpochMilli(millis));
    return storage.getAlarm().orElseThrow().toEpochMilli();
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    long late = wallMillis.getAsLong() - storage.get(TIME, Long.class).orElse(Long.MAX_VALUE);
    storage.put(RING + rings().size(), late);
  }

  @Override
  public List<Long> rings() {
    return List.copyOf(storage.list(ListOptions.ALL.withPrefix(RING), Long.class).values());
  }
}
