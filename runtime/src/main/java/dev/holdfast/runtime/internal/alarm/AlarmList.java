package dev.holdfast.runtime.internal.alarm;

import dev.holdfast.AlarmStatus;
import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.Page;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.ShardRules;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The alarms of a namespace, for operators. Thread-safe. */
public final class AlarmList implements NamespaceAlarms {

  private final Instances instances;
  private final Consumer<ObjectId> idCheck;

  /**
   * Creates the list.
   *
   * @param instances the objects of the namespace
   * @param idCheck throws if an id does not belong to the namespace
   */
  public AlarmList(Instances instances, Consumer<ObjectId> idCheck) {
    this.instances = instances;
    this.idCheck = idCheck;
  }

  @Override
  public Page<AlarmStatus> pending(Optional<String> cursor, int limit) {
    return page(State.PENDING, cursor, limit);
  }

  @Override
  public Page<AlarmStatus> abandoned(Optional<String> cursor, int limit) {
    return page(State.ABANDONED, cursor, limit);
  }

  private Page<AlarmStatus> page(State state, Optional<String> cursor, int limit) {
    ShardRules.refuseInObject(instances.parts(), instances.name(), null);
    if (limit < 1 || limit > PAGE_MAX) {
      throw new IllegalArgumentException("limit must be 1 to " + PAGE_MAX + ": " + limit);
    }
    AlarmEntry after = cursor.map(this::parse).orElse(null);
    List<AlarmStatus> found =
        instances
            .backend()
            .catalog()
            .alarms(new AlarmQuery(instances.name(), state, after, Long.MAX_VALUE, limit))
            .stream()
            .map(AlarmRuns::status)
            .toList();
    return new Page<>(
        found, found.size() < limit ? Optional.empty() : Optional.of(cursorAfter(found.getLast())));
  }

  /**
   * {@return where a list goes on after an alarm}
   *
   * @param alarm the alarm
   */
  public static String cursorAfter(AlarmStatus alarm) {
    byte[] name = alarm.name().getBytes(StandardCharsets.UTF_8);
    return alarm.dueTime().toEpochMilli() + "-" + alarm.id() + "-" + HexFormat.of().formatHex(name);
  }

  private AlarmEntry parse(String cursor) {
    int nameAt = cursor.lastIndexOf('-');
    int idAt = nameAt < 1 ? -1 : cursor.lastIndexOf('-', nameAt - 1);
    try {
      if (idAt < 1) {
        throw new IllegalArgumentException("two dashes are missing");
      }
      byte[] name = HexFormat.of().parseHex(cursor.substring(nameAt + 1));
      byte[] id = HexFormat.of().parseHex(cursor.substring(idAt + 1, nameAt));
      return new AlarmEntry(
          new ObjectKey(instances.name(), ObjectId.of(id, null)),
          AlarmRecord.once(
              new String(name, StandardCharsets.UTF_8), Long.parseLong(cursor.substring(0, idAt))));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "Not a cursor of a list of alarms; begin with the first page: " + cursor, e);
    }
  }

  @Override
  public boolean rearm(ObjectId id, String name, Instant time) {
    long millis = ObjectAlarms.millisNotBefore(instances.parts().time().wallMillis(), time);
    return change(id, name, AlarmRecord.once(name, millis));
  }

  @Override
  public boolean discard(ObjectId id, String name) {
    return change(id, name, null);
  }

  private boolean change(ObjectId id, String name, @Nullable AlarmRecord replacement) {
    idCheck.accept(id);
    ShardRules.refuseInObject(instances.parts(), instances.name(), id);
    AlarmChange change =
        new AlarmChange(name, stored -> stored.state() == State.ABANDONED, replacement);
    try {
      return Boolean.TRUE.equals(instances.call(id, change, new Object[0]));
    } catch (HoldfastException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A change of an alarm threw an unexpected exception", e);
    }
  }
}
