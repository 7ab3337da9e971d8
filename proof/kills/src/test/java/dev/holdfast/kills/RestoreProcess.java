package dev.holdfast.kills;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.alarms.Alarms;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A process that changes and restores objects on both engines until it is killed. Wired like an
 * application's runtime, but with small limits, so that objects are evicted and saved, and history
 * is dropped, all the time.
 *
 * <p>Each object has one caller, which prints {@code found OBJECT STATE} at first, {@code try
 * OBJECT STATE} before each step, with the state that it leads to, and {@code done OBJECT} when it
 * was answered; {@code wrong OBJECT ...} if the object is not as it should be.
 */
final class RestoreProcess {

  static final int OBJECTS_PER_ENGINE = 4;

  private static final int KEYS = 6;
  private static final int FILLER_CHARS_MAX = 6_000;
  private static final int MOMENTS_MAX = 200;
  private static final long SEGMENT_BYTES = 256 << 10;
  private static final long HISTORY_BYTES_MAX = 2 << 20;

  /** In the year 2096: no alarm fires. */
  private static final long ALARMS_FROM_MILLIS = 4_000_000_000_000L;

  /** What the process does with its objects. */
  interface Box {
    String put(String key, long number, int fillerChars);

    String wake(long atMillis);

    String clear();

    String bookmark();

    void abort();

    String state();
  }

  /**
   * An object with pairs, an alarm and, on SQLite, rows. Each change returns the state after it.
   */
  static final class BoxObject implements Box, AlarmHandler {
    private final ObjectContext context;
    private final boolean hasSql;

    BoxObject(ObjectContext context, boolean hasSql) {
      this.context = context;
      this.hasSql = hasSql;
    }

    @Override
    public String put(String key, long number, int fillerChars) {
      context.storage().put(key, number + ":" + "x".repeat(fillerChars));
      if (hasSql) {
        context.storage().sql().exec("CREATE TABLE IF NOT EXISTS r (k TEXT PRIMARY KEY, n)");
        context.storage().sql().exec("INSERT OR REPLACE INTO r VALUES (?, ?)", key, number);
      }
      return state();
    }

    @Override
    public String wake(long atMillis) {
      context.storage().setAlarm(Instant.ofEpochMilli(atMillis));
      return state();
    }

    @Override
    public String clear() {
      context.storage().deleteAll();
      return state();
    }

    @Override
    public String bookmark() {
      return context.storage().getCurrentBookmark();
    }

    @Override
    public void abort() {
      throw context.abort("to restore");
    }

    @Override
    public String state() {
      SortedMap<String, String> state = new TreeMap<>();
      context
          .storage()
          .list(String.class)
          .forEach(
              (key, value) ->
                  state.put(key, value.substring(0, value.indexOf(':')) + "/" + value.length()));
      context
          .storage()
          .getAlarm()
          .ifPresent(at -> state.put("alarm", String.valueOf(at.toEpochMilli())));
      if (hasSql && hasTable()) {
        context
            .storage()
            .sql()
            .exec("SELECT k, n FROM r")
            .forEach(row -> state.put("row-" + row.get("k"), String.valueOf(row.get("n"))));
      }
      return text(state);
    }

    private boolean hasTable() {
      return context
              .storage()
              .sql()
              .exec("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'r'")
              .one()
              .getLong("n")
          > 0;
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      throw new IllegalStateException("Decades too early: " + alarm);
    }
  }

  private static String text(SortedMap<String, String> state) {
    return state.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static SortedMap<String, String> parsed(String text) {
    SortedMap<String, String> state = new TreeMap<>();
    for (String each : text.substring(1, text.length() - 1).split(",")) {
      if (!each.isEmpty()) {
        int at = each.indexOf('=');
        state.put(each.substring(0, at), each.substring(at + 1));
      }
    }
    return state;
  }

  private record Moment(String bookmark, String state) {}

  private RestoreProcess() {}

  static List<String> objects() {
    List<String> objects = new ArrayList<>();
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      for (int number = 0; number < OBJECTS_PER_ENGINE; number++) {
        objects.add(kind + "-" + number);
      }
    }
    return objects;
  }

  static ObjectRuntime open(Path directory) {
    SystemTimeSource time = new SystemTimeSource();
    StorageThreads threads = new StorageThreads(2);
    EngineBuilder engine =
        new EngineBuilder(
            objects -> {
              objects.options(RuntimeOptions.DEFAULT);
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    kind.name(),
                    Box.class,
                    context -> new BoxObject(context, kind.equals(StorageKind.SQLITE)),
                    NamespaceOptions.DEFAULT.withStorage(kind));
              }
            });
    long windowMillis = NamespaceOptions.DEFAULT.recoveryWindow().toMillis();
    FileJournal journal =
        FileJournal.open(
            directory.resolve("journal"),
            time,
            JournalOptions.DEFAULT
                .withSegmentBytes(SEGMENT_BYTES)
                .withHistory(new HistoryOptions(windowMillis, HISTORY_BYTES_MAX)));
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(
        StorageKind.SQLITE,
        new SqliteBackend(
            journal,
            threads,
            time,
            JournalOptions.DEFAULT.disk(),
            new SqliteOptions(directory.resolve("sqlite"), OBJECTS_PER_ENGINE - 1)));
    backends.put(
        StorageKind.ROCKSDB,
        RocksDbBackend.open(
            directory.resolve("rocksdb"),
            new RocksDbBackend.Host(journal, threads, time),
            RocksDbOptions.DEFAULT.withBlockCacheBytes(1 << 20).withWriteBufferBytes(1 << 20)));
    JournaledRecovery recovery =
        new JournaledRecovery(journal, journal.history(), time, engine.recoveryWindows());
    List<JournalView> views = new ArrayList<>(backends.values());
    views.add(recovery);
    views.forEach(view -> view.recover(journal.recoveryLog()));
    journal.start(views);
    backends.forEach(engine::backend);
    return engine
        .recovery(recovery)
        .alarms(alarms(engine, journal, time, backends))
        .closeLast(threads)
        .closeLast(time)
        .open(journal, time, new SecureRandom());
  }

  private static Alarms alarms(
      EngineBuilder engine,
      FileJournal journal,
      SystemTimeSource time,
      Map<StorageKind, StorageBackend> backends) {
    Map<String, Alarms.Namespace> namespaces = new HashMap<>();
    backends.forEach(
        (kind, backend) ->
            namespaces.put(
                kind.name(),
                new Alarms.Namespace(
                    backend.catalog(), NamespaceOptions.DEFAULT.alarms(), backend::isOpening)));
    return new Alarms(
        new Alarms.Host(journal, time, new SecureRandom()), namespaces, engine.alarmOptions());
  }

  static Box box(ObjectRuntime runtime, String object) {
    return boxes(runtime, object).getByName(object);
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime, String object) {
    return runtime.namespace(object.substring(0, object.indexOf('-')), Box.class);
  }

  /** Takes a directory and a seed. */
  public static void main(String[] arguments) {
    ObjectRuntime runtime = open(Path.of(arguments[0]));
    SplittableRandom seeds = new SplittableRandom(arguments[1].hashCode());
    for (String object : objects()) {
      Caller caller = new Caller(runtime, object, seeds.split());
      Thread.ofPlatform().name(object).start(caller::run);
    }
  }

  /** The only caller of an object. */
  private static final class Caller {
    private final String object;
    private final boolean hasSql;
    private final Box box;
    private final String namespace;
    private final ObjectId id;
    private final ObjectAdmin admin;
    private final ObjectRecovery recovery;
    private final SplittableRandom random;
    private final List<Moment> moments = new ArrayList<>();
    private String state = "";
    private long number;

    Caller(ObjectRuntime runtime, String object, SplittableRandom random) {
      this.object = object;
      this.hasSql = object.startsWith(StorageKind.SQLITE.name());
      this.random = random;
      this.box = box(runtime, object);
      ObjectNamespace<Box> boxes = boxes(runtime, object);
      this.namespace = boxes.name();
      this.id = boxes.idFromName(object);
      this.admin = runtime.admin();
      this.recovery = runtime.recovery(namespace, id);
    }

    void run() {
      try {
        state = box.state();
        say("found", state);
        while (true) {
          int dice = random.nextInt(100);
          if (dice < 6 && !moments.isEmpty()) {
            restore(moments.get(random.nextInt(moments.size())));
          } else {
            change(dice);
          }
          if (moments.size() > MOMENTS_MAX) {
            moments.removeFirst();
          }
        }
      } catch (RuntimeException e) {
        say("wrong", e.toString().replace(' ', '_'));
        throw e;
      }
    }

    private void change(int dice) {
      number++;
      String key = "k" + random.nextInt(KEYS);
      int fillerChars = random.nextInt(8) == 0 ? random.nextInt(FILLER_CHARS_MAX) : 10;
      long alarmMillis = ALARMS_FROM_MILLIS + number;
      SortedMap<String, String> after = parsed(state);
      if (dice == 6) {
        after.clear();
      } else if (dice < 10) {
        after.keySet().removeIf(each -> !each.equals("alarm"));
      } else if (dice < 20) {
        after.put("alarm", String.valueOf(alarmMillis));
      } else {
        after.put(key, number + "/" + (String.valueOf(number).length() + 1 + fillerChars));
        if (hasSql) {
          after.put("row-" + key, String.valueOf(number));
        }
      }
      String expected = text(after);
      say("try", expected);
      String found =
          dice == 6
              ? delete()
              : dice < 10
                  ? box.clear()
                  : dice < 20 ? box.wake(alarmMillis) : box.put(key, number, fillerChars);
      requireState(found, expected);
      state = found;
      moments.add(new Moment(box.bookmark(), state));
      say("done", state);
    }

    /** By an operator, including the alarm. */
    private String delete() {
      boolean existed = admin.delete(namespace, id);
      if (existed == state.equals("[]")) {
        say("wrong", "deleted:" + existed);
      }
      if (admin.exists(namespace, id)) {
        say("wrong", "it_still_exists");
      }
      return box.state();
    }

    private void requireState(String found, String expected) {
      if (!found.equals(expected)) {
        say("wrong", found + "_instead_of_" + expected);
      }
    }

    private void restore(Moment target) {
      String undo;
      say("try", target.state());
      boolean now = random.nextBoolean();
      try {
        undo =
            now
                ? admin.restoreNow(namespace, id, target.bookmark())
                : recovery.restoreOnNextSession(target.bookmark());
      } catch (BookmarkException e) {
        if (e.reason() != BookmarkException.Reason.NOT_KEPT) {
          say("wrong", "refused:" + e.reason());
        }
        say("done", state);
        return;
      }
      say("done", target.state());
      String before = state;
      if (!now) {
        abort();
      }
      String found = box.state();
      requireState(found, target.state());
      state = found;
      moments.add(new Moment(undo, before));
    }

    private void abort() {
      try {
        box.abort();
        say("wrong", "it did not abort");
      } catch (InstanceResetException e) {
        // as asked for
      }
    }

    private void say(String word, String text) {
      System.out.println(word + " " + object + " " + text);
    }
  }
}
