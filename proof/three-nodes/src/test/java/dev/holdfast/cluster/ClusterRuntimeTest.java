package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.AlarmStatus;
import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.Page;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.RemoteObjectException;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.storage.ListOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that a runtime offers beside calls, from every node of a cluster. */
class ClusterRuntimeTest {

  private static final List<String> ALL = List.of("a", "b", "c");

  /** A note that can be listed, restored and watched. */
  public interface Note {

    /** Replaces the text. */
    void write(String text);

    /** Returns the text. */
    String read();

    /** Sets an alarm. */
    void remind(Duration later);

    /** Lists the notes, from within one. */
    int listed();

    /** Asks for the size of this note, from within it. */
    long ownSize();

    /** Writes another note, outside of a turn or not, and is reset. */
    void writeOther(String name, boolean isOutside) throws Exception;
  }

  static final class NoteObject implements Note, AlarmHandler {

    private final ObjectContext context;

    NoteObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void write(String text) {
      context.storage().put("text", text);
      context.emit("notes", text);
      context.publish("live", text);
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public void remind(Duration later) {
      context.storage().setAlarm(context.clock().instant().plus(later));
    }

    @Override
    public void alarm(AlarmInfo info) {
      context.storage().put("text", "reminded");
    }

    @Override
    public int listed() {
      return context
          .namespace("notes", Note.class)
          .list(ObjectListOptions.ALL.withPrefix("note-"))
          .items()
          .size();
    }

    @Override
    public long ownSize() {
      return nodes.get("a").admin().size("notes", context.id());
    }

    @Override
    public void writeOther(String name, boolean isOutside) throws Exception {
      Note other = context.namespace("notes", Note.class).getByName(name);
      if (isOutside) {
        context.call(
            () -> {
              other.write("text");
              return null;
            });
      } else {
        other.write("text");
      }
      throw context.abort("after the call");
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  private static void register(ObjectRegistrar objects) {
    objects.namespace(
        "notes",
        Note.class,
        NoteObject::new,
        NamespaceOptions.DEFAULT.withMigrations(
            List.of(new SqlMigration("first", "CREATE TABLE line (text TEXT)"))));
    objects.namespace("others", Note.class, NoteObject::new);
    objects.namespace("echoes", Echo.class, Echo.EchoObject::new);
  }

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, ClusterRuntimeTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static ObjectNamespace<Note> notes(String node) {
    return nodes.get(node).namespace("notes", Note.class);
  }

  /** Calls an object of each shard from each node, and a machine of its own, with one value. */
  private static <R> List<R> everywhere(Function<Echo, R> call) throws Exception {
    List<R> answers = new ArrayList<>();
    for (String node : ALL) {
      for (String name : List.of("a", "b", "c", "d", "e", "f")) {
        Echo echo = nodes.get(node).namespace("echoes", Echo.class).getByName(name);
        ThreeNodes.known(
            () -> {
              answers.add(call.apply(echo));
              return 0;
            });
      }
    }
    try (ObjectRuntime machine =
        Holdfast.open(
            Files.createTempDirectory(directory, "machine"),
            objects -> objects.namespace("echoes", Echo.class, Echo.EchoObject::new))) {
      answers.add(call.apply(machine.namespace("echoes", Echo.class).getByName("a")));
    }
    return answers;
  }

  @Test
  void valueHasTheSameClassesWhereverItsObjectIs() throws Exception {
    Map<String, Object> mixed =
        new TreeMap<>(
            Map.of(
                "double",
                5.0,
                "id",
                UUID.fromString("00000000-0000-0000-0000-000000000001"),
                "int",
                1,
                "item",
                new Echo.Item("nut", 3),
                "list",
                List.of(1, 'c', List.of((short) 2)),
                "time",
                Duration.ofSeconds(5)));
    String classes =
        "LinkedHashMap double=Double id=UUID int=Integer item=JsObject name=String count=Integer"
            + " list=ArrayList[Integer, Character, ArrayList[Short]] time=Duration";

    assertThat(everywhere(echo -> Echo.described(echo.map(mixed)))).containsOnly(classes);
    assertThat(everywhere(echo -> echo.classes(mixed))).containsOnly(classes);
    assertThat(everywhere(echo -> Echo.described(echo.any(1)))).containsOnly("Integer");
    assertThat(everywhere(echo -> Echo.described(echo.number(1.5f)))).containsOnly("Float");
    assertThat(
            everywhere(
                echo ->
                    Echo.described(echo.items(new LinkedList<>(List.of(new Echo.Item("a", 1)))))))
        .containsOnly("ArrayList[Item]");
  }

  private static Throwable thrown(Echo echo, String which) {
    try {
      echo.fail(which);
    } catch (RuntimeException e) {
      return e;
    }
    throw new AssertionError("nothing was thrown");
  }

  @Test
  void exceptionHasTheSameClassWhereverItsObjectIs() throws Exception {
    assertThat(everywhere(echo -> thrown(echo, "fields")))
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOfSatisfying(
                        Echo.SoldOutException.class,
                        soldOut -> {
                          assertThat(soldOut).hasMessage("nut is sold out");
                          assertThat(soldOut.item()).isEqualTo("nut");
                          assertThat(soldOut.left()).containsExactly(1, 2);
                        }));
    List<Throwable> usual = everywhere(echo -> thrown(echo, "usual"));
    assertThat(usual)
        .allSatisfy(
            failure ->
                assertThat(failure).isInstanceOf(Echo.ClosedException.class).hasMessage("closed"));
    // One machine has the cause itself.
    assertThat(usual.subList(0, usual.size() - 1))
        .allSatisfy(failure -> assertThat(failure).hasCauseInstanceOf(RemoteObjectException.class));
    List<Throwable> odd = everywhere(echo -> thrown(echo, "odd"));
    assertThat(odd.subList(0, odd.size() - 1))
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOfSatisfying(
                        RemoteObjectException.class,
                        remote ->
                            assertThat(remote.className())
                                .isEqualTo(Echo.OddException.class.getName())));
  }

  private static <T> List<T> all(Function<Optional<String>, Page<T>> list) {
    List<T> found = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      Page<T> page = list.apply(cursor);
      found.addAll(page.items());
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    return found;
  }

  @Test
  void listsOfAllShardsAreMergedInOneOrder() {
    List<String> expected = new ArrayList<>();
    for (int i = 10; i < 40; i++) {
      notes("a").getByName("note-" + i).write("text");
      expected.add("note-" + i);
    }
    for (String node : ALL) {
      List<ObjectId> found =
          all(
              cursor ->
                  notes(node)
                      .list(new ObjectListOptions(Optional.of("note-"), cursor, /* limit= */ 7)));
      assertThat(found).extracting(id -> id.name().orElseThrow()).isEqualTo(expected);
      assertThat(notes(node).getByName("note-11").listed()).isEqualTo(30);
    }
    assertThatThrownBy(() -> notes("a").list(ObjectListOptions.ALL.withCursor("?")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void alarmsOfAllShardsAreMergedByTime() {
    List<ObjectId> expected = new ArrayList<>();
    ObjectNamespace<Note> others = nodes.get("b").namespace("others", Note.class);
    for (int i = 0; i < 12; i++) {
      others.getByName("alarm-" + i).remind(Duration.ofHours(1 + i));
      expected.add(others.idFromName("alarm-" + i));
    }
    for (String node : ALL) {
      ObjectNamespace<Note> seen = nodes.get(node).namespace("others", Note.class);
      assertThat(all(cursor -> seen.alarms().pending(cursor, 5)))
          .extracting(AlarmStatus::id)
          .isEqualTo(expected);
      assertThat(seen.alarms().abandoned(Optional.empty(), 5).items()).isEmpty();
      assertThat(seen.alarms().discard(expected.getFirst(), "")).isFalse();
    }
  }

  @Test
  void objectsAreAdministeredFromEveryNode() {
    for (int i = 0; i < 6; i++) {
      notes("a").getByName("admin-" + i).write("text");
    }
    for (String node : ALL) {
      for (int i = 0; i < 6; i++) {
        ObjectId id = notes(node).idFromName("admin-" + i);
        assertThat(nodes.get(node).admin().exists("notes", id)).isTrue();
        assertThat(nodes.get(node).admin().size("notes", id)).isPositive();
        assertThat(nodes.get(node).admin().keys("notes", id, ListOptions.ALL))
            .containsExactly("text");
        assertThat(nodes.get(node).admin().tables("notes", id)).containsExactly("line");
        assertThat(nodes.get(node).admin().evict("notes", id)).isIn(true, false);
      }
      assertThat(nodes.get(node).admin().versions("notes")).containsOnlyKeys("first");
      assertThat(nodes.get(node).admin().migrateAll("notes", MigrationOptions.DEFAULT).failed())
          .isZero();
    }
    ObjectId deleted = notes("c").idFromName("admin-0");
    assertThat(nodes.get("c").admin().delete("notes", deleted)).isTrue();
    assertThat(nodes.get("a").admin().exists("notes", deleted)).isFalse();
    ObjectId other = nodes.get("a").namespace("others", Note.class).idFromName("x");
    for (String node : ALL) {
      assertThatThrownBy(() -> nodes.get(node).admin().size("notes", other))
          .isInstanceOf(InvalidObjectIdException.class);
      assertThatThrownBy(() -> notes(node).getByName("admin-1").ownSize())
          .isInstanceOf(MisuseException.class);
    }
  }

  @Test
  void migrationOfAllShardsCountsEachObjectOnce() {
    ObjectNamespace<Note> others = nodes.get("a").namespace("others", Note.class);
    for (int i = 0; i < 301; i++) { // more than 100 in one of three shards
      others.getByName("migrated-" + i).write("text");
    }
    long count =
        all(cursor -> others.list(new ObjectListOptions(Optional.empty(), cursor, 100))).size();
    ObjectAdmin admin = nodes.get("b").admin();
    List<Long> progress = new ArrayList<>();
    MigrationReport whole =
        admin.migrateAll(
            "others",
            MigrationOptions.DEFAULT.withProgress(report -> progress.add(report.current())));
    assertThat(whole.current()).isEqualTo(count);
    assertThat(progress).hasSizeGreaterThan(3).isSorted();

    Thread.currentThread().interrupt();
    MigrationReport first = admin.migrateAll("others", MigrationOptions.DEFAULT);
    assertThat(Thread.interrupted()).isTrue();
    MigrationReport rest =
        admin.migrateAll(
            "others", MigrationOptions.DEFAULT.withCursor(first.cursor().orElseThrow()));
    assertThat(first.current() + rest.current()).isEqualTo(count);
    assertThat(rest.cursor()).isEmpty();

    for (String unknown : List.of("x", "3:")) {
      assertThatThrownBy(
              () -> admin.migrateAll("others", MigrationOptions.DEFAULT.withCursor(unknown)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void pastOfAnObjectIsReadAndRestoredFromEveryNode() {
    notes("a").getByName("past").write("one");
    notes("b").getByName("past").write("two");
    ObjectId id = notes("a").idFromName("past");
    for (String node : ALL) {
      ObjectRecovery recovery = nodes.get(node).recovery("notes", id);
      List<HistoryEntry> history = recovery.history(10).entries();
      String two = history.getFirst().bookmark();
      String one =
          history.stream()
              .map(HistoryEntry::bookmark)
              .filter(each -> !recovery.diff(each, two).isEmpty())
              .findFirst()
              .orElseThrow();
      String undo = nodes.get(node).admin().restoreNow("notes", id, one);
      assertThat(notes(node).getByName("past").read()).isEqualTo("one");
      nodes.get(node).admin().restoreNow("notes", id, undo);
      assertThat(notes("c").getByName("past").read()).isEqualTo("two");
    }
    assertThat(nodes.get("a").recovery("notes", id).restorations()).hasSize(6);
  }

  @Test
  void callThatWasResetHasPerhapsWrittenWhatItCalled() {
    for (int i = 0; i < 24; i++) { // in its own shard, in others here, and on other nodes
      Note caller = notes("a").getByName("caller");
      String other = "called-" + i;
      boolean isOutside = i % 2 == 1;
      assertThatThrownBy(() -> caller.writeOther(other, isOutside))
          .isInstanceOfSatisfying(
              InstanceResetException.class,
              reset -> assertThat(reset.writeOutcome()).isEqualTo(WriteOutcome.UNKNOWN));
      assertThat(notes("b").getByName(other).read()).isEqualTo("text");
    }
  }

  @Test
  void forksStayWhereTheObjectIs() {
    notes("a").getByName("fork").write("text");
    ObjectId id = notes("a").idFromName("fork");
    ObjectRecovery recovery = nodes.get("a").recovery("notes", id);
    String bookmark = recovery.history(1).entries().getFirst().bookmark();
    Map<Boolean, String> refused = new TreeMap<>();
    for (int i = 0; refused.size() < 2; i++) {
      String name = "forked-" + i;
      try {
        recovery.fork(bookmark, name);
        assertThat(notes("b").getByName(name).read()).isEqualTo("text");
        refused.put(false, name);
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(ClusterException.Reason.UNSUPPORTED);
        refused.put(true, name);
      }
    }
  }

  @Test
  void forkNearItsOriginGoesToTheSameShard() {
    notes("a").getByName("origin").write("text");
    ObjectId id = notes("a").idFromName("origin");
    ObjectRecovery recovery = nodes.get("c").recovery("notes", id);
    String bookmark = recovery.history(1).entries().getFirst().bookmark();

    boolean wasRefused = false;
    for (int i = 0; !wasRefused; i++) {
      String name = "near-" + i;
      recovery.fork(bookmark, name, id);
      assertThat(notes("b").getByName(name, id).read()).isEqualTo("text");
      assertThat(notes("c").list(ObjectListOptions.ALL.withPrefix(name)).items())
          .contains(notes("a").idFromName(name, id));
      try {
        recovery.fork(bookmark, name);
        assertThat(notes("a").list(ObjectListOptions.ALL.withPrefix(name)).items())
            .contains(notes("a").idFromName(name), notes("a").idFromName(name, id));
      } catch (ClusterException e) {
        assertThat(e).hasMessageContaining("near its origin");
        wasRefused = true;
      }
    }
  }

  @Test
  void eventsAreDeliveredWhereTheObjectsAre() throws Exception {
    BlockingQueue<String> consumed = new LinkedBlockingQueue<>();
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    List<AutoCloseable> subscriptions = new ArrayList<>();
    for (String node : ALL) {
      subscriptions.add(
          nodes
              .get(node)
              .consume(
                  "notes",
                  "index",
                  String.class,
                  events -> events.forEach(event -> consumed.add(event.value()))));
      subscriptions.add(nodes.get(node).subscribe("live", String.class, heard::add));
    }
    assertThatThrownBy(() -> nodes.get("a").consume("notes", "index", String.class, events -> {}))
        .isInstanceOf(ConsumerException.class);
    for (int i = 0; i < 9; i++) {
      notes("a").getByName("event-" + i).write("event " + i);
    }
    for (int i = 0; i < 9; i++) {
      String wanted = "event " + i;
      while (!wanted.equals(heard.take())) {
        // Of another object.
      }
    }
    List<String> taken = new ArrayList<>();
    while (taken.stream().filter(each -> each.startsWith("event ")).distinct().count() < 9) {
      taken.add(consumed.take());
    }
    assertThat(nodes.get("b").admin().consumers())
        .singleElement()
        .matches(each -> each.isRunning());
    for (AutoCloseable each : subscriptions) {
      each.close();
    }
    assertThat(nodes.get("c").admin().removeConsumer("notes", "index")).isTrue();
    assertThat(nodes.get("a").admin().consumers()).isEmpty();
  }

  @Test
  void numbersOfTheNodesAddUpToThoseOfTheCluster() {
    long before = turns();
    for (int i = 0; i < 10; i++) {
      notes("a").getByName("number-" + i).write("text");
    }
    assertThat(turns() - before).isGreaterThanOrEqualTo(10);
    for (String node : ALL) {
      assertThat(nodes.get(node).health().reasons())
          .extracting(HealthReason::code)
          .doesNotContain(HealthReason.SHARD_WITHOUT_OWNER, HealthReason.SHARD_STOPPED);
      assertThat(nodes.get(node).health().state()).isNotEqualTo(HealthState.DOWN);
      assertThat(nodes.get(node).busiest(2, BusyBy.CALLS).size()).isLessThanOrEqualTo(2);
      assertThat(nodes.get(node).historyUsage().bytes()).isNotNegative();
    }
  }

  private static ClusterStatistics numbers(String node) {
    return nodes.get(node).statistics().cluster();
  }

  private static long sum(ToLongFunction<RuntimeStatistics> number) {
    return ALL.stream().mapToLong(node -> number.applyAsLong(nodes.get(node).statistics())).sum();
  }

  @Test
  void callsBetweenNodesAreCountedOnBoth() {
    long sent = sum(node -> node.cluster().sent().returned());
    long received = sum(node -> node.cluster().received().returned());
    long proofs = sum(node -> node.journal().proofNanos().count());
    for (String node : ALL) {
      assertThat(notes(node).getByName("seen").read()).isEmpty();
    }
    assertThat(sum(node -> node.cluster().sent().returned()) - sent).isGreaterThanOrEqualTo(2);
    assertThat(sum(node -> node.cluster().received().returned()) - received)
        .isGreaterThanOrEqualTo(2);
    assertThat(sum(node -> node.journal().proofNanos().count()) - proofs).isPositive();
  }

  @Test
  void clocksOfOthersAndTheUsableBytesOfTheDiskAreKnown() {
    for (String node : ALL) {
      while (numbers(node).clockAheadMillis().size() < 2 || numbers(node).diskUsableBytes() < 0) {
        Polling.pause(); // another node connects again, or the disk was not asked yet
      }
      assertThat(numbers(node).clockAheadMillis()).doesNotContainKey(node);
      assertThat(numbers(node).clockAheadMillis().values())
          .allMatch(ahead -> Math.abs(ahead) < 5_000);
      assertThat(numbers(node).lagBytes()).isNotNegative();
    }
  }

  @Test
  void moveOfAShardIsCountedAndRecorded() throws Exception {
    nodes.awaitReady();
    String owner = nodes.get("a").shards().getFirst().owner();
    String next = "a".equals(owner) ? "b" : "a";
    ClusterStatistics before = numbers(next);
    long given = given(owner);
    long epoch;
    List<RecordedEvent> events;
    try (Recording recording = new Recording()) {
      recording.enable("dev.holdfast.OwnershipBegan");
      recording.enable("dev.holdfast.OwnershipEnded");
      recording.start();
      nodes.move(0, next);
      nodes.awaitReady();
      while (numbers(next).minus(before).takeoverNanos().count() == 0) {
        Polling.pause(); // it is counted after the calls that wait for it
      }
      epoch = nodes.get(next).shards().getFirst().epoch();
      recording.stop();
      Path file = directory.resolve("ownerships.jfr");
      recording.dump(file);
      events = RecordingFile.readAllEvents(file);
    }

    ClusterStatistics since = numbers(next).minus(before);
    assertThat(since.ownerships().began()).isPositive();
    assertThat(since.takeoverNanos().count()).isEqualTo(since.ownerships().began());
    assertThat(given(owner)).isGreaterThan(given);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("dev.holdfast.OwnershipBegan"))
        .filteredOn(event -> event.getInt("shard") == 0 && event.getLong("epoch") == epoch)
        .isNotEmpty()
        .allSatisfy(
            event -> {
              Duration takeover = event.getDuration("takeover");
              assertThat(event.getDuration("claim")).isLessThanOrEqualTo(takeover);
              assertThat(event.getDuration("opening")).isLessThanOrEqualTo(takeover);
            });
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("dev.holdfast.OwnershipEnded"))
        .filteredOn(event -> event.getInt("shard") == 0 && event.getLong("epoch") < epoch)
        .isNotEmpty()
        .allSatisfy(
            event ->
                assertThat(event.getBoolean("planned"))
                    .isEqualTo(event.getString("reason") == null));
  }

  private static long given(String node) {
    return numbers(node).ownerships().moved() + numbers(node).ownerships().lost();
  }

  private static long turns() {
    return ALL.stream()
        .mapToLong(
            node -> {
              var notes = nodes.get(node).statistics().namespaces().get("notes");
              return notes == null ? 0 : notes.turns();
            })
        .sum();
  }
}
