package dev.holdfast.benchmarks.soak;

import dev.holdfast.ObjectContext;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;

/** {@link Account} as a durable object. Owned by its turns. */
final class AccountObject implements Account, AlarmHandler {

  private static final int ROWS_MAX = 20;
  private static final Duration REMINDER = Duration.ofSeconds(1);

  private final ObjectContext context;
  private final ObjectStorage storage;
  private final boolean hasTables;
  private boolean hasLog;

  AccountObject(ObjectContext context, StorageKind kind) {
    this.context = context;
    this.storage = context.storage();
    this.hasTables = kind.equals(StorageKind.SQLITE);
  }

  @Override
  public void fill(byte[][] values) {
    for (int key = 0; key < values.length; key++) {
      put(key, values[key]);
    }
  }

  @Override
  public void put(int key, byte[] value) {
    storage.put("key" + key, value);
  }

  @Override
  public int get(int key) {
    return storage.get("key" + key, byte[].class).map(value -> value.length).orElse(0);
  }

  @Override
  public void log(byte[] line) {
    if (!hasTables) {
      storage.put("log", line);
      return;
    }
    if (!hasLog) {
      storage.sql().exec("CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, line BLOB)");
      hasLog = true;
    }
    storage.sql().exec("INSERT INTO log (line) VALUES (?)", line);
    storage.sql().exec("DELETE FROM log WHERE id <= (SELECT max(id) FROM log) - ?", ROWS_MAX);
  }

  @Override
  public void remind(int key) {
    storage.put("reminded", key);
    storage.setAlarm(context.clock().instant().plus(REMINDER));
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    int key = storage.get("reminded", Integer.class).orElse(0);
    storage.put("key" + key, new byte[0]);
  }

  @Override
  public void clear() {
    storage.deleteAll();
    hasLog = false;
  }
}
