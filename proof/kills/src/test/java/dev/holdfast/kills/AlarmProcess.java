package dev.holdfast.kills;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/**
 * A process that sets alarms until it is killed. It prints {@code set <object> <key>} when an alarm
 * is confirmed. The handler records in its object that the key has run, and fails every third time.
 */
final class AlarmProcess {

  static final String SQLITE = "sqlite";
  static final String ROCKSDB = "rocksdb";
  static final int OBJECTS = 16;
  static final List<String> NAMESPACES = List.of(SQLITE, ROCKSDB);

  /** What the process does with its objects. */
  interface Clock {
    void wake(String key, long delayMillis);

    SequencedMap<String, Long> runs();
  }

  /** An object with many named alarms. */
  static final class ClockObject implements Clock, AlarmHandler {
    private final ObjectContext context;
    private int count;

    ClockObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void wake(String key, long delayMillis) {
      context.storage().schedules().at(key, Instant.now().plusMillis(delayMillis));
    }

    @Override
    public SequencedMap<String, Long> runs() {
      return context.storage().list(Long.class);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      if (Instant.now().isBefore(alarm.scheduledTime())) {
        context.storage().put("early " + alarm.name(), 1L);
      }
      long runs = context.storage().get(alarm.name(), Long.class).orElse(0L);
      context.storage().put(alarm.name(), runs + 1);
      if (++count % 3 == 0 && !alarm.isRetry()) {
        throw new IllegalStateException("told to fail");
      }
    }
  }

  private AlarmProcess() {}

  static ObjectRuntime open(Path directory) {
    return Holdfast.open(
        directory,
        objects ->
            objects
                .namespace(SQLITE, Clock.class, ClockObject::new, options(StorageKind.SQLITE))
                .namespace(ROCKSDB, Clock.class, ClockObject::new, options(StorageKind.ROCKSDB)));
  }

  private static NamespaceOptions options(StorageKind kind) {
    return NamespaceOptions.DEFAULT
        .withStorage(kind)
        .withAlarms(AlarmPolicy.DEFAULT.withRetryDelay(Duration.ofMillis(20)));
  }

  /** Takes a directory and a seed. */
  public static void main(String[] arguments) {
    SplittableRandom random = new SplittableRandom(arguments[1].hashCode());
    ObjectRuntime runtime = open(Path.of(arguments[0]));
    for (int number = 0; ; number++) {
      String namespace = NAMESPACES.get(number % 2);
      ObjectNamespace<Clock> clocks = runtime.namespace(namespace, Clock.class);
      String object = "o" + random.nextInt(OBJECTS);
      String key = arguments[1] + "-" + number;
      clocks.getByName(object).wake(key, random.nextInt(300));
      System.out.println("set " + namespace + " " + object + " " + key);
    }
  }
}
