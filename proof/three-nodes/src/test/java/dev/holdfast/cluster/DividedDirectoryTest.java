package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.verify.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a single machine has is divided among the shards of a cluster. */
class DividedDirectoryTest {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int PAGES = 12;
  private static final int VALUE_BYTES = 100_000;
  private static final List<String> NAMESPACES = List.of("sql", "keys");

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

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Page.class, PageObject::new);
    objects.namespace(
        "keys",
        Page.class,
        PageObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  /** What the single machine had. */
  private static final class Past {
    private final List<Instant> moments = new ArrayList<>();
    private final List<Map<String, String>> states = new ArrayList<>();
    private final Map<String, String> pending = new TreeMap<>();
    private final List<String> emitted = new ArrayList<>();
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private String bookmark = "";

    void note(ObjectRuntime runtime) {
      states.add(statesOf(runtime));
      moments.add(after(Instant.now()));
      after(moments.getLast());
    }

    /** {@return a time after another one; times of records are whole milliseconds} */
    private static Instant after(Instant moment) {
      Instant now = Instant.now();
      while (!now.isAfter(moment.plusMillis(3))) {
        Polling.pause();
        now = Instant.now();
      }
      return now.minusMillis(1);
    }
  }

  private static Map<String, String> statesOf(ObjectRuntime runtime) {
    Map<String, String> states = new TreeMap<>();
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < PAGES; i++) {
        states.put(namespace + i, page(runtime, namespace + i).read());
      }
    }
    return states;
  }

  private static String namespace(String name) {
    return name.startsWith("sql") ? "sql" : "keys";
  }

  private static Page page(ObjectRuntime runtime, String name) {
    return runtime.namespace(namespace(name), Page.class).getByName(name);
  }

  private static ObjectId id(ObjectRuntime runtime, String name) {
    return runtime.namespace(namespace(name), Page.class).idFromName(name);
  }

  private static String anyName(Random random) {
    return NAMESPACES.get(random.nextInt(2)) + random.nextInt(PAGES);
  }

  private Past writeAlone(ObjectRuntime runtime, Random random, boolean isPurged) {
    Past past = new Past();
    // One event at a time, so that it is known where the consumer is when it is closed.
    AutoCloseable consumer =
        runtime.consume(
            "pages",
            "index",
            String.class,
            batch -> batch.forEach(event -> past.handled.add(event.value())));
    for (int round = 0; round < 4; round++) {
      for (int step = 0; step < 40; step++) {
        step(runtime, random, past, round + "." + step);
      }
      past.note(runtime);
      if (round == 2) {
        while (past.handled.size() < past.emitted.size()) {
          Polling.pause();
        }
        if (isPurged) { // it waits for consumers
          runtime.admin().purgeHistory("sql", id(runtime, "sql1")).join();
          runtime.admin().purgeHistory("keys", id(runtime, "keys1")).join();
        }
        close(consumer);
      }
    }
    for (String name : List.of("sql3", "keys3")) {
      runtime
          .recovery(namespace(name), id(runtime, name))
          .restoreOnNextSession(
              runtime
                  .recovery(namespace(name), id(runtime, name))
                  .bookmarkForTime(past.moments.get(1)));
      past.pending.put(name, past.states.get(1).getOrDefault(name, ""));
    }
    past.bookmark =
        runtime.recovery("sql", id(runtime, "sql4")).bookmarkForTime(past.moments.getLast());
    return past;
  }

  private static void close(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void step(ObjectRuntime runtime, Random random, Past past, String text) {
    String name = anyName(random);
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

  private static void check(ClusterRuntime runtime, Past past, boolean isPurged) {
    Map<String, String> latest = new TreeMap<>(past.states.getLast());
    latest.putAll(past.pending);
    assertThat(statesOf(runtime)).isEqualTo(latest);
    for (int at = 0; at < past.moments.size(); at++) {
      for (Map.Entry<String, String> each : past.states.get(at).entrySet()) {
        String name = each.getKey();
        boolean isGone = isPurged && List.of("sql1", "keys1").contains(name);
        if (!isGone) {
          String bookmark =
              runtime
                  .recovery(namespace(name), id(runtime, name))
                  .bookmarkForTime(past.moments.get(at));
          String undo = runtime.admin().restoreNow(namespace(name), id(runtime, name), bookmark);
          assertThat(page(runtime, name).read()).as(name + " at " + at).isEqualTo(each.getValue());
          runtime.admin().restoreNow(namespace(name), id(runtime, name), undo);
        }
      }
    }
    assertThat(statesOf(runtime)).isEqualTo(latest);
    String before = past.bookmark;
    assertThatThrownBy(() -> runtime.admin().restoreNow("sql", id(runtime, "sql4"), before))
        .isInstanceOf(BookmarkException.class);
  }

  private static void checkEvents(ClusterRuntime runtime, Past past) {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    AutoCloseable consumer =
        runtime.consume(
            "pages",
            "index",
            String.class,
            batch -> batch.forEach(event -> events.add(event.value())));
    List<String> all = new ArrayList<>(past.handled);
    page(runtime, "sql0").say("last");
    page(runtime, "keys0").say("last");
    while (all.size() < past.emitted.size() + 2) {
      all.add(poll(events));
    }
    close(consumer);
    List<String> expected = new ArrayList<>(past.emitted);
    expected.addAll(List.of("sql0 last", "keys0 last"));
    assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(events).isEmpty();
  }

  private static String poll(BlockingQueue<String> events) {
    try {
      return events.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static ClusterOptions alone(int shards) throws Exception {
    return ClusterOptions.of("grown")
        .node("a")
        .members("a=127.0.0.1:" + FreePorts.pairs(1).getFirst())
        .withShards(shards);
  }

  private void divideAndCheck(Path source, Past past, int shards, boolean isPurged)
      throws Exception {
    Path data = directory.resolve("shards" + shards);
    ClusterOptions options = alone(shards);
    assertThat(
            ClusterHoldfast.restore(
                source, data, options, RestoreRequest.of(new RestoreTarget.Latest())))
        .hasSize(shards);
    assertThat(Verification.run(data, directory, /* isDeep= */ true).findings()).isEmpty();
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(data, options, DividedDirectoryTest::register)) {
      assertThat(runtime.awaitReady(LONG)).isTrue();
      check(runtime, past, isPurged);
      checkEvents(runtime, past);
    }
    assertThat(Verification.run(data, directory, /* isDeep= */ false).findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everyObjectHasItsStateAndItsPastInEachNumberOfShards(long seed) throws Exception {
    Path source = directory.resolve("source");
    Past past;
    boolean isPurged = seed % 2 == 0;
    try (ObjectRuntime runtime = Holdfast.open(source, DividedDirectoryTest::register)) {
      past = writeAlone(runtime, new Random(seed), isPurged);
    }
    for (int shards : List.of(1, 3, 64)) {
      divideAndCheck(source, past, shards, isPurged);
    }
    assertThat(Verification.run(source, directory, /* isDeep= */ false).findings()).isEmpty();
  }
}
