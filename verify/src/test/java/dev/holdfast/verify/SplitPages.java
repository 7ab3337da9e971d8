package dev.holdfast.verify;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.faults.Polling;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.MissedRuns;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;

/** Objects with a past, whose directories are divided and whose parts are opened. */
final class SplitPages {

  static final int PAGES = 12;
  private static final int VALUE_BYTES = 100_000;
  static final List<String> NAMESPACES = List.of("sql", "keys");

  /** A text with a past, alarms, rows and events. */
  public interface Page {

    /** Replaces the text, and fills some room. */
    void write(String text, byte[] filling);

    /** Emits an event, and changes nothing. */
    void say(String text);

    /** Deletes everything. */
    void erase();

    /** Sets an alarm. */
    void remind(Duration later);

    /** Sets a schedule. */
    void repeat(String name);

    /** Returns all that is stored. */
    String read();
  }

  static final class PageObject implements Page, AlarmHandler {

    private final ObjectContext context;

    PageObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void write(String text, byte[] filling) {
      context.storage().put("text", text);
      for (int from = 0; from < filling.length || from == 0; from += VALUE_BYTES) {
        byte[] part =
            Arrays.copyOfRange(filling, from, Math.min(filling.length, from + VALUE_BYTES));
        context.storage().put("filling " + (text.hashCode() + from) % 17, part);
      }
      if (context.namespace().equals("sql")) {
        context.storage().sql().exec("CREATE TABLE IF NOT EXISTS line (text)");
        context.storage().sql().exec("INSERT INTO line VALUES (?)", text);
        context.storage().put("lines", true);
      }
      context.emit("pages", context.id().name().orElse("") + " " + text);
    }

    @Override
    public void say(String text) {
      context.emit("pages", context.id().name().orElse("") + " " + text);
    }

    @Override
    public void erase() {
      context.storage().deleteAll();
    }

    @Override
    public void remind(Duration later) {
      context.storage().setAlarm(context.clock().instant().plus(later));
    }

    @Override
    public void repeat(String name) {
      context.storage().schedules().every(name, Duration.ofDays(1), MissedRuns.ONCE);
    }

    @Override
    public String read() {
      StringBuilder all = new StringBuilder();
      context
          .storage()
          .list(ListOptions.ALL.withPrefix("filling"), byte[].class)
          .forEach((key, value) -> all.append(key).append('=').append(hash(value)).append(' '));
      all.append(context.storage().get("text", String.class).orElse("nothing"));
      all.append(' ').append(context.storage().getAlarm());
      all.append(' ').append(context.storage().schedules().names());
      if (context.storage().get("lines", Boolean.class).orElse(false)) {
        all.append(context.storage().sql().exec("SELECT text FROM line").toList());
      }
      return all.toString();
    }

    private static int hash(byte[] value) {
      return Arrays.hashCode(value);
    }

    @Override
    public void alarm(AlarmInfo info) {
      context.storage().put("text", "reminded");
    }
  }

  private SplitPages() {}

  static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Page.class, PageObject::new);
    objects.namespace(
        "keys",
        Page.class,
        PageObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  /** What the single machine had. */
  static final class Past {
    final List<Instant> moments = new ArrayList<>();
    final List<Map<String, String>> states = new ArrayList<>();
    final Map<String, String> pending = new TreeMap<>();
    final List<String> emitted = new ArrayList<>();
    final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    final Set<String> gone = new TreeSet<>();
    List<String> names = List.of();
    long alarms;
    String bookmark = "";

    void note(Parts parts) {
      states.add(parts.states());
      moments.add(after(Instant.now()));
      after(moments.getLast());
    }

    /** {@return a time after another one; times of records are whole milliseconds} */
    static Instant after(Instant moment) {
      Instant now = Instant.now();
      while (!now.isAfter(moment.plusMillis(3))) {
        Polling.pause();
        now = Instant.now();
      }
      return now.minusMillis(1);
    }
  }

  static String namespace(String name) {
    return name.startsWith("sql") ? "sql" : "keys";
  }

  static Page page(ObjectRuntime runtime, String name) {
    return runtime.namespace(namespace(name), Page.class).getByName(name);
  }

  static ObjectId id(ObjectRuntime runtime, String name) {
    return runtime.namespace(namespace(name), Page.class).idFromName(name);
  }

  private static String anyName(Random random) {
    return NAMESPACES.get(random.nextInt(2)) + random.nextInt(PAGES);
  }

  static Past write(Parts parts, Random random, boolean isPurged) {
    Past past = new Past();
    // One event at a time, so that it is known where the consumers are when they are closed.
    List<AutoCloseable> consumers =
        parts.consume(batch -> batch.forEach(event -> past.handled.add(event.value())));
    for (int round = 0; round < 4; round++) {
      for (int step = 0; step < 40; step++) {
        step(parts, random, past, round + "." + step);
      }
      past.note(parts);
      if (round == 2) {
        while (past.handled.size() < past.emitted.size()) {
          Polling.pause();
        }
        if (isPurged) { // it waits for consumers
          past.gone.addAll(List.of("sql1", "keys1"));
          for (String name : past.gone) {
            ObjectRuntime runtime = parts.of(name);
            runtime.admin().purgeHistory(namespace(name), id(runtime, name)).join();
          }
        }
        consumers.forEach(SplitPages::close);
      }
    }
    for (String name : List.of("sql3", "keys3")) {
      ObjectRuntime runtime = parts.of(name);
      ObjectRecovery recovery = runtime.recovery(namespace(name), id(runtime, name));
      recovery.restoreOnNextSession(recovery.bookmarkForTime(past.moments.get(1)));
      past.pending.put(name, past.states.get(1).getOrDefault(name, ""));
    }
    past.names = names(parts.runtimes);
    past.alarms = alarms(parts.runtimes);
    ObjectRuntime runtime = parts.of("sql4");
    past.bookmark =
        runtime.recovery("sql", id(runtime, "sql4")).bookmarkForTime(past.moments.getLast());
    return past;
  }

  static void close(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void step(Parts parts, Random random, Past past, String text) {
    String name = anyName(random);
    ObjectRuntime runtime = parts.of(name);
    Page page = page(runtime, name);
    switch (random.nextInt(10)) {
      case 0 -> page.erase();
      case 1 -> page.remind(Duration.ofDays(1 + random.nextInt(9)));
      case 2 -> page.repeat("r" + random.nextInt(3));
      case 3 -> {
        page.say(text);
        past.emitted.add(name + " " + text);
      }
      case 4 -> restore(runtime, random, past, name);
      default -> {
        byte[] filling = new byte[random.nextInt(8) == 0 ? 900_000 : random.nextInt(5_000)];
        random.nextBytes(filling);
        page.write(text, filling);
        past.emitted.add(name + " " + text);
      }
    }
  }

  private static void restore(ObjectRuntime runtime, Random random, Past past, String name) {
    if (past.moments.isEmpty()) {
      return;
    }
    Instant moment = past.moments.get(random.nextInt(past.moments.size()));
    String bookmark = runtime.recovery(namespace(name), id(runtime, name)).bookmarkForTime(moment);
    runtime.admin().restoreNow(namespace(name), id(runtime, name), bookmark);
  }

  /** The parts of a directory, each open. */
  static final class Parts implements AutoCloseable {
    final List<ObjectRuntime> runtimes = new ArrayList<>();

    static Parts open(List<Path> shards) {
      Parts parts = new Parts();
      for (Path each : shards) {
        parts.runtimes.add(Holdfast.open(each, SplitPages::register));
      }
      return parts;
    }

    static Parts of(ObjectRuntime runtime) {
      Parts parts = new Parts();
      parts.runtimes.add(runtime);
      return parts;
    }

    List<AutoCloseable> consume(EventHandler<String> handler) {
      List<AutoCloseable> consumers = new ArrayList<>();
      runtimes.forEach(
          each -> consumers.add(each.consume("pages", "index", String.class, handler)));
      return consumers;
    }

    ObjectRuntime of(String name) {
      ObjectId id = id(runtimes.getFirst(), name);
      return runtimes.get(new ShardMap(runtimes.size()).shardOf(id));
    }

    Map<String, String> states() {
      Map<String, String> states = new TreeMap<>();
      for (String namespace : NAMESPACES) {
        for (int i = 0; i < PAGES; i++) {
          String name = namespace + i;
          states.put(name, page(of(name), name).read());
        }
      }
      return states;
    }

    @Override
    public void close() {
      runtimes.forEach(ObjectRuntime::close);
    }
  }

  /** The objects that exist, by the catalogs. */
  static List<String> names(Collection<ObjectRuntime> runtimes) {
    List<String> names = new ArrayList<>();
    for (ObjectRuntime runtime : runtimes) {
      for (String namespace : NAMESPACES) {
        runtime
            .namespace(namespace, Page.class)
            .list(ObjectListOptions.ALL)
            .items()
            .forEach(id -> names.add(id.name().orElse("none")));
      }
    }
    names.sort(null);
    return names;
  }

  static long alarms(Collection<ObjectRuntime> runtimes) {
    return runtimes.stream()
        .mapToLong(
            runtime ->
                NAMESPACES.stream()
                    .mapToLong(
                        namespace ->
                            runtime
                                .namespace(namespace, Page.class)
                                .alarms()
                                .pending(Optional.empty(), 1_000)
                                .items()
                                .size())
                    .sum())
        .sum();
  }

  static String poll(BlockingQueue<String> events) {
    try {
      return events.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void sayAll(Parts parts, List<String> names, String text) {
    names.forEach(name -> page(parts.of(name), name).say(text));
  }
}
