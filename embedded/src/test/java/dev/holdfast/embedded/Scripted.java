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
 * An object whose code the test supplies, call by call. Code cannot be passed to an object as a
 * value; its number in a table can.
 */
public interface Scripted {

  /** Runs the code that a test has stored under a number. */
  void run(long number);

  /** Creates the object. */
  static Scripted of(ObjectContext context) {
    return number -> Table.CODE.get(number).accept(context);
  }

  /** Creates the object with an alarm handler that does nothing. */
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

  /** The code that has not run yet. */
  final class Table {

    private static final AtomicLong LAST = new AtomicLong();
    private static final Map<Long, Consumer<ObjectContext>> CODE = new ConcurrentHashMap<>();

    private Table() {}
  }
}
