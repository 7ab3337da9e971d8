package dev.holdfast.junit;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.WriteOptions;
import java.time.Duration;

/** Counts, in a table or with a key. */
public interface Counter {

  long add(long amount);

  long value();

  void addUnconfirmed(long amount);

  void remindIn(Duration time);

  int reminders();

  final class CounterObject implements Counter, AlarmHandler {

    private final ObjectContext context;
    int calls;

    CounterObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public long add(long amount) {
      calls++;
      context.storage().put("value", value() + amount);
      return value();
    }

    @Override
    public long value() {
      return context.storage().get("value", Long.class).orElse(0L);
    }

    @Override
    public void addUnconfirmed(long amount) {
      context.storage().put("value", value() + amount, new WriteOptions(true, false));
    }

    @Override
    public void remindIn(Duration time) {
      context.storage().setAlarm(context.clock().instant().plus(time));
    }

    @Override
    public int reminders() {
      return context.storage().get("reminders", Integer.class).orElse(0);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      context.storage().put("reminders", reminders() + 1);
    }
  }
}
