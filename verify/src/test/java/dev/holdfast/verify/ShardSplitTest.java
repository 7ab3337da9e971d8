package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.faults.Polling;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.shard.RestoredReplica;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.MissedRuns;
import java.nio.file.Files;
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
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a single machine has is divided: each part is opened as a single machine is. */
class ShardSplitTest {

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
    private final Set<String> gone = new TreeSet<>();
    private List<String> names = List.of();
    private long alarms;
    private String bookmark = "";

    void note(Parts parts) {
      states.add(parts.states());
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

  private static Past write(Parts parts, Random random, boolean isPurged) {
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
        consumers.forEach(ShardSplitTest::close);
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

  private static void close(AutoCloseable each) {
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
  private static final class Parts implements AutoCloseable {
    private final List<ObjectRuntime> runtimes = new ArrayList<>();

    static Parts open(List<Path> shards) {
      Parts parts = new Parts();
      for (Path each : shards) {
        parts.runtimes.add(Holdfast.open(each, ShardSplitTest::register));
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

  private static void check(Parts parts, Past past) {
    Map<String, String> latest = new TreeMap<>(past.states.getLast());
    latest.putAll(past.pending);
    assertThat(parts.states()).isEqualTo(latest);
    for (int at = 0; at < past.moments.size(); at++) {
      for (Map.Entry<String, String> each : past.states.get(at).entrySet()) {
        String name = each.getKey();
        if (past.gone.contains(name) && at < 3) {
          continue;
        }
        ObjectRuntime runtime = parts.of(name);
        ObjectId id = id(runtime, name);
        String bookmark =
            runtime.recovery(namespace(name), id).bookmarkForTime(past.moments.get(at));
        String undo = runtime.admin().restoreNow(namespace(name), id, bookmark);
        assertThat(page(runtime, name).read()).as(name + " at " + at).isEqualTo(each.getValue());
        runtime.admin().restoreNow(namespace(name), id, undo);
      }
    }
    assertThat(parts.states()).isEqualTo(latest);
    ObjectRuntime runtime = parts.of("sql4");
    String before = past.bookmark;
    assertThatThrownBy(() -> runtime.admin().restoreNow("sql", id(runtime, "sql4"), before))
        .isInstanceOf(BookmarkException.class);
    for (String name : past.gone) {
      ObjectRuntime owner = parts.of(name);
      assertThatThrownBy(
              () -> {
                String purged =
                    owner
                        .recovery(namespace(name), id(owner, name))
                        .bookmarkForTime(past.moments.getFirst());
                owner.admin().restoreNow(namespace(name), id(owner, name), purged);
              })
          .as("purged " + name)
          .isInstanceOf(BookmarkException.class);
    }
  }

  /** The objects that exist, by the catalogs. */
  private static List<String> names(Collection<ObjectRuntime> runtimes) {
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

  private static long alarms(Collection<ObjectRuntime> runtimes) {
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

  private static void checkEvents(Parts parts, Past past) {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    List<AutoCloseable> consumers =
        parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
    List<String> all = new ArrayList<>(past.handled);
    page(parts.of("sql0"), "sql0").say("last");
    page(parts.of("keys0"), "keys0").say("last");
    while (all.size() < past.emitted.size() + 2) {
      all.add(poll(events));
    }
    consumers.forEach(ShardSplitTest::close);
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

  private interface Opening {
    ShardSplit open(Disk disk);
  }

  private List<Path> divide(Disk disk, Path source, int count) throws Exception {
    return divide(disk, opening -> ShardSplit.open(opening, source), count);
  }

  private List<Path> divide(Disk disk, Opening opening, int count) throws Exception {
    return divide(disk, opening, count, System.currentTimeMillis());
  }

  private List<Path> divide(Disk disk, Opening opening, int count, long nowMillis)
      throws Exception {
    Path target = directory.resolve("of " + count);
    FileTree.delete(disk, target);
    Path work = target.resolve("work");
    disk.createDirectories(work);
    List<Path> shards = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      shards.add(target.resolve("shard" + shard));
    }
    Random random = new Random(count);
    try (ShardSplit split = opening.open(disk)) {
      split.write(shards, work, nowMillis, random::nextLong, (_, _, _, _) -> {});
    }
    return shards;
  }

  private void divideAndCheck(Opening opening, Past past, int count) throws Exception {
    List<Path> shards = divide(new FileDisk(), opening, count);
    for (Path each : shards) {
      assertThat(Verification.run(each, directory, /* isDeep= */ true).findings()).isEmpty();
    }
    try (Parts parts = Parts.open(shards)) {
      assertThat(names(parts.runtimes)).isEqualTo(past.names);
      assertThat(alarms(parts.runtimes)).isEqualTo(past.alarms);
      checkEvents(parts, past);
      check(parts, past);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everyObjectHasItsStateAndItsPastInEachNumberOfShards(long seed) throws Exception {
    Path source = directory.resolve("source");
    Path backup = directory.resolve("backup");
    Past past;
    try (Parts parts = Parts.open(List.of(source))) {
      past = write(parts, new Random(seed), /* isPurged= */ seed % 2 == 0);
      parts.runtimes.getFirst().backup(backup);
    }
    divideAndCheck(disk -> ShardSplit.open(disk, backup), past, 3); // as after a crash
    if (isLong()) {
      divideAndCheck(disk -> ShardSplit.open(disk, source), past, 1);
      divideAndCheck(disk -> ShardSplit.open(disk, source), past, 64);
    }
    assertThat(Verification.run(source, directory, /* isDeep= */ false).findings()).isEmpty();
  }

  private static boolean isLong() {
    return "long".equals(System.getProperty("holdfast.tests"));
  }

  private List<Path> named(String name, int count) {
    List<Path> paths = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      paths.add(directory.resolve(name + number));
    }
    return paths;
  }

  /** Makes directories those of shards, as a restore does. */
  private static Opening asShards(List<Path> directories) {
    for (Path each : directories) {
      RestoredReplica.prepareOwn(new FileDisk(), each, new Random(7)::nextLong);
    }
    return disk -> ShardSplit.ofShards(disk, directories);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void severalShardsBecomeFewerOrMore(long seed) throws Exception {
    List<Path> sources = named("source", 4);
    List<Path> backups = named("backup", 4);
    Past past;
    try (Parts parts = Parts.open(sources)) {
      past = write(parts, new Random(seed), /* isPurged= */ seed % 2 == 0);
      for (int i = 0; i < backups.size(); i++) {
        parts.runtimes.get(i).backup(backups.get(i));
      }
    }
    Opening ofBackups = asShards(backups);
    divideAndCheck(ofBackups, past, 3);
    divideAndCheck(ofBackups, past, 6);
    if (isLong()) {
      divideAndCheck(asShards(sources), past, 1);
      divideAndCheck(ofBackups, past, 64);
    }
  }

  /** Records are in the order of their times, also of those that are in the future here. */
  @Test
  void clockThatIsBehindChangesNothingOrIsRefused() throws Exception {
    List<Path> sources = named("source", 2);
    Past past;
    try (Parts parts = Parts.open(sources)) {
      past = write(parts, new Random(3), /* isPurged= */ false);
    }
    long begun = past.moments.getFirst().toEpochMilli() - 60_000;
    Opening opening = asShards(sources);
    assertThatThrownBy(() -> divide(new FileDisk(), opening, 1, begun - 300_000))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("Set the clock");
    List<String> expected = records(divide(new FileDisk(), opening, 1).getFirst());
    assertThat(records(divide(new FileDisk(), opening, 1, begun).getFirst())).isEqualTo(expected);
  }

  private static List<String> records(Path data) throws Exception {
    List<String> records = new ArrayList<>();
    JournalCheck.requireSound(new FileDisk(), data)
        .records()
        .forEachFrom(0, record -> records.add(record.key() + " at " + record.wallMillis()));
    return records;
  }

  /** In one shard a consumer is behind: what it had handled in others after that comes again. */
  @Test
  void consumerMissesNothingWhereShardsComeTogether() throws Exception {
    List<Path> sources = named("source", 3);
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    List<String> names = List.of("sql0", "sql1", "sql2", "sql3", "sql4", "sql5", "keys0", "keys1");
    try (Parts parts = Parts.open(sources)) {
      List<AutoCloseable> consumers =
          parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
      sayAll(parts, names, "early");
      names.forEach(_ -> poll(events));
      close(consumers.removeFirst());
      sayAll(parts, names, "late");
      ObjectRuntime behind = parts.runtimes.getFirst();
      names.stream().filter(name -> parts.of(name) != behind).forEach(_ -> poll(events));
      consumers.forEach(ShardSplitTest::close);
    }
    events.clear();
    List<Path> shards = divide(new FileDisk(), asShards(sources), 1);
    try (Parts parts = Parts.open(shards)) {
      List<AutoCloseable> consumers =
          parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
      sayAll(parts, names.subList(0, 1), "last");
      List<String> all = new ArrayList<>();
      while (!all.contains("sql0 last")) {
        all.add(poll(events));
      }
      consumers.forEach(ShardSplitTest::close);
      assertThat(all).doesNotHaveDuplicates().noneMatch(text -> text.endsWith("early"));
      List<String> behind =
          names.stream().filter(name -> sourceOf(name, parts) == 0).map(n -> n + " late").toList();
      assertThat(behind).isNotEmpty();
      assertThat(all).containsAll(behind);
    }
  }

  @Test
  void consumerThatWasCutOffIsCutOffInEachShard() throws Exception {
    Path source = directory.resolve("source");
    RuntimeOptions bounds =
        RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20).withOutboxBytesMax(0);
    byte[] filling = new byte[900_000];
    try (ObjectRuntime runtime =
        Holdfast.open(
            source,
            objects -> {
              register(objects);
              objects.options(bounds);
            })) {
      Parts.of(runtime).consume(_ -> {}).forEach(ShardSplitTest::close);
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, "sql0").write("r" + round, filling);
      }
    }
    assertThat(source.resolve("journal/0000000000000001.log")).as("dropped").doesNotExist();
    List<Path> shards = divide(new FileDisk(), source, 5);
    try (Parts parts = Parts.open(shards)) {
      for (ObjectRuntime each : parts.runtimes) {
        assertThatThrownBy(() -> each.consume("pages", "index", String.class, _ -> {}))
            .isInstanceOf(ConsumerException.class);
      }
    }
  }

  /** A consumer is removed from one shard after the other. */
  @Test
  void eventsOfAShardWithoutTheConsumerDoNotComeBack() throws Exception {
    List<Path> sources = named("source", 3);
    List<String> names = List.of("sql0", "sql1", "sql2", "sql3", "sql4", "sql5", "keys0", "keys1");
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    EventHandler<String> handler = batch -> batch.forEach(event -> events.add(event.value()));
    try (Parts parts = Parts.open(sources)) {
      List<AutoCloseable> consumers = parts.consume(handler);
      sayAll(parts, names, "early");
      names.forEach(_ -> poll(events));
      consumers.forEach(ShardSplitTest::close);
      parts.runtimes.getFirst().admin().removeConsumer("pages", "index");
    }
    List<Path> shards = divide(new FileDisk(), asShards(sources), 1);
    try (Parts parts = Parts.open(shards)) {
      List<AutoCloseable> consumers = parts.consume(handler);
      sayAll(parts, names.subList(0, 1), "last");
      assertThat(poll(events)).isEqualTo("sql0 last");
      consumers.forEach(ShardSplitTest::close);
    }
  }

  private static int sourceOf(String name, Parts parts) {
    return new ShardMap(3).shardOf(id(parts.runtimes.getFirst(), name));
  }

  private static void sayAll(Parts parts, List<String> names, String text) {
    names.forEach(name -> page(parts.of(name), name).say(text));
  }

  @Test
  void historyThatWasDroppedIsNotKeptAndTheRestIs() throws Exception {
    Path source = directory.resolve("source");
    Past past = new Past();
    byte[] filling = new byte[900_000];
    try (ObjectRuntime runtime =
        Holdfast.open(
            source,
            objects -> {
              register(objects);
              objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20));
            })) {
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, (round % 2 == 0 ? "sql" : "keys") + round % PAGES)
            .write("r" + round, filling);
      }
      past.note(Parts.of(runtime));
      for (int i = 0; i < 4; i++) {
        page(runtime, "sql" + i).write("late", new byte[10]);
        page(runtime, "keys" + i).write("late", new byte[10]);
      }
      past.note(Parts.of(runtime));
    }
    assertThat(source.resolve("journal/0000000000000001.log")).as("dropped").doesNotExist();
    List<Path> shards = divide(new FileDisk(), source, 5);
    for (Path each : shards) {
      assertThat(Verification.run(each, directory, /* isDeep= */ false).findings()).isEmpty();
    }
    try (Parts parts = Parts.open(shards)) {
      assertThat(parts.states()).isEqualTo(past.states.getLast());
      for (String name : past.states.getFirst().keySet()) {
        ObjectRuntime runtime = parts.of(name);
        ObjectId id = id(runtime, name);
        String bookmark =
            runtime.recovery(namespace(name), id).bookmarkForTime(past.moments.getFirst());
        runtime.admin().restoreNow(namespace(name), id, bookmark);
        assertThat(page(runtime, name).read()).as(name).isEqualTo(past.states.getFirst().get(name));
      }
    }
  }

  /** The last record before the purged ones is another object's. */
  @Test
  void stateBeforeAPurgedOneIsNotKept() throws Exception {
    Path source = directory.resolve("source");
    Past past = new Past();
    try (ObjectRuntime runtime = Holdfast.open(source, ShardSplitTest::register)) {
      page(runtime, "sql0").write("there", new byte[10]);
      past.note(Parts.of(runtime));
      page(runtime, "sql1").write("purged", new byte[10]);
      runtime.admin().purgeHistory("sql", id(runtime, "sql1")).join();
    }
    try (Parts parts = Parts.open(divide(new FileDisk(), source, 1))) {
      ObjectRuntime runtime = parts.of("sql1");
      ObjectRecovery recovery = runtime.recovery("sql", id(runtime, "sql1"));
      assertThatThrownBy(() -> recovery.bookmarkForTime(past.moments.getFirst()))
          .isInstanceOf(BookmarkException.class);
      recovery.bookmarkForTime(Past.after(Instant.now()));
    }
  }

  @Test
  void whatCannotBeDividedIsRefusedAndNotChanged() throws Exception {
    Path source = directory.resolve("source");
    try (ObjectRuntime runtime = Holdfast.open(source, ShardSplitTest::register)) {
      page(runtime, "sql1").write("there", new byte[10]);
      assertThatThrownBy(() -> divide(new FileDisk(), source, 2))
          .isInstanceOf(DirectoryInUseException.class);
    }
    assertThatThrownBy(() -> divide(new FileDisk(), directory, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("no journal");
    Path segment = source.resolve("journal/0000000000000001.log");
    byte[] whole = Files.readAllBytes(segment);
    byte[] damaged = whole.clone();
    damaged[4096 + 64 + 70] ^= 1;
    Files.write(segment, damaged);
    assertThatThrownBy(() -> divide(new FileDisk(), source, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("damaged");
    Files.write(segment, whole);
    Path catalog = source.resolve("sqlite/catalog.sqlite");
    byte[] kept = Files.readAllBytes(catalog);
    Files.delete(catalog);
    assertThatThrownBy(() -> divide(new FileDisk(), source, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("catalog");
    Files.write(catalog, kept);
    divide(new FileDisk(), source, 2);
  }

  @Test
  void shardsInAnotherOrderAreRefused() throws Exception {
    List<Path> sources = named("source", 2);
    try (Parts parts = Parts.open(sources)) {
      sayAll(parts, List.of("sql0", "sql1", "sql2", "sql3"), "there");
    }
    Opening opening = asShards(sources.reversed());
    assertThatThrownBy(() -> divide(new FileDisk(), opening, 3))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("another shard");
  }

  /** The record that said so may be dropped. */
  @Test
  void shardWhosePairsWereGivenUpIsRefusedBesideOthersBeforeAnythingIsWritten() throws Exception {
    List<Path> sources = named("source", 2);
    byte[] filling = new byte[900_000];
    String name;
    try (Parts parts = Parts.open(sources)) {
      name = parts.of("keys0") == parts.runtimes.getFirst() ? "keys0" : "keys1";
      page(parts.of(name), name).write("early", filling);
    }
    FileTree.delete(new FileDisk(), sources.getFirst().resolve("rocksdb"));
    Files.writeString(sources.getFirst().resolve("rocksdb.flushed"), "give up");
    try (ObjectRuntime runtime =
        Holdfast.open(
            sources.getFirst(),
            objects -> {
              register(objects);
              objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20));
            })) {
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, name).write("r" + round, filling);
      }
    }
    assertThat(sources.getFirst().resolve("journal/0000000000000001.log")).doesNotExist();
    Opening opening = asShards(sources);
    assertThatThrownBy(() -> divide(new FileDisk(), opening, 1))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("given up");
    assertThat(directory.resolve("of 1/shard0")).doesNotExist();
  }

  /** A backup has no lock file, so nothing keeps a runtime of another process away. */
  @Test
  void backupThatIsOpenedMeanwhileIsRefused() throws Exception {
    Path backup = directory.resolve("backup");
    try (ObjectRuntime runtime =
        Holdfast.open(directory.resolve("source"), ShardSplitTest::register)) {
      page(runtime, "sql1").write("there", new byte[10]);
      runtime.backup(backup);
    }
    List<Path> shards = List.of(directory.resolve("made"));
    Path work = Files.createDirectory(directory.resolve("work"));

    try (ShardSplit split = ShardSplit.open(new FileDisk(), backup)) {
      Files.createFile(backup.resolve("LOCK"));
      assertThatThrownBy(() -> split.write(shards, work, 0, () -> 7, (_, _, _, _) -> {}))
          .isInstanceOf(DirectoryInUseException.class);
    }
  }
}
