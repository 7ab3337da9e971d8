package dev.holdfast.embedded;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An object whose code is given by the test, call by call. Code is no value that could cross the
 * border of an object; its number in a table does.
 */
public interface Scripted {

  /** Runs the code that a test has left under a number. */
  void run(long number);

  /** Makes the object. */
  static Scripted of(ObjectContext context) {
    return number -> Table.CODE.get(number).accept(context);
  }

  /** Makes the object with an alarm, which does nothing. */
  static Scripted withAlarm(ObjectContext context) {
    return new WithAlarm(of(context));
  }

  /** An object that may set alarms. */
  record WithAlarm(Scripted code) implements Scripted, AlarmHandler {
    @Override
    public void run(long number) {
      code.run(number);
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  /** Runs code in one turn of an object. */
  static <T> T in(Scripted object, Function<ObjectContext, T> code) {
    List<T> results = new ArrayList<>();
    long number = Table.LAST.incrementAndGet();
    Table.CODE.put(number, context -> results.add(code.apply(context)));
    try {
      object.run(number);
    } finally {
      Table.CODE.remove(number);
    }
    return results.getFirst();
  }

  /** What has not been run yet. */
  final class Table {

    private static final AtomicLong LAST = new AtomicLong();
    private static final Map<Long, Consumer<ObjectContext>> CODE = new ConcurrentHashMap<>();

    private Table() {}
  }
}
