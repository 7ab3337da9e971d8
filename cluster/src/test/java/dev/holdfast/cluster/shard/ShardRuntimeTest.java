package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.log.OwnershipLostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects of a shard, whose owner changes. */
class ShardRuntimeTest {

  /** Keeps pairs. */
  public interface Box {

    /** Stores a text, and returns it. */
    String put(String key, String text);

    /** Removes a pair. */
    void remove(String key);

    /** Returns all pairs. */
    TreeMap<String, String> all();

    /** Returns a bookmark of the present state. */
    String bookmark();

    /** Sets an alarm that is due. */
    void wake();

    /** Emits an event. */
    void emit(String event);
  }

  private final Semaphore woken = new Semaphore(0);

  private final class BoxObject implements Box, AlarmHandler {

    private final ObjectContext context;

    BoxObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public String put(String key, String text) {
      context.storage().put(key, text);
      return text;
    }

    @Override
    public void remove(String key) {
      context.storage().delete(key);
    }

    @Override
    public TreeMap<String, String> all() {
      return new TreeMap<>(context.storage().list(String.class));
    }

    @Override
    public String bookmark() {
      return context.storage().getCurrentBookmark();
    }

    @Override
    public void wake() {
      context.storage().setAlarm(Instant.now());
    }

    @Override
    public void emit(String event) {
      context.emit("events", event);
    }

    @Override
    public void alarm(AlarmInfo info) {
      woken.release();
    }
  }

  @TempDir Path directory;
  private LocalShard shard;

  @BeforeEach
  void start() {
    shard =
        new LocalShard(
            directory,
            objects -> {
              objects.alarms(AlarmOptions.DEFAULT.withHeld());
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    kind.name(),
                    Box.class,
                    BoxObject::new,
                    NamespaceOptions.DEFAULT
                        .withStorage(kind)
                        .withRecoveryWindow(Duration.ofDays(1)));
              }
            });
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(kind.name(), Box.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void ownerHasWhatEarlierOwnersHaveWritten(StorageKind kind) throws InterruptedException {
    boxes(shard.own("a"), kind).getByName("x").put("1", "by a");
    boxes(shard.own("b"), kind).getByName("x").put("2", "by b");
    ObjectRuntime again = shard.own("a");
    boxes(again, kind).getByName("x").put("3", "by a again");
    boxes(again, kind).getByName("y").put("1", "another");
    Box last = boxes(shard.own("c"), kind).getByName("x");
    assertThat(last.all()).hasToString("{1=by a, 2=by b, 3=by a again}");
  }

  @Test
  void ownerThatIsClosedLeavesNothingToRedo() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    for (int i = 0; i < 50; i++) {
      boxes(first, StorageKind.SQLITE).getByName("x" + i).put("key", "value");
    }
    first.close();
    ObjectRuntime second = shard.own("a");
    assertThat(second.statistics().databases().redoneBatches()).isZero();
    assertThat(boxes(second, StorageKind.SQLITE).getByName("x7").all()).containsKey("key");
  }

  @Test
  void ownerThatMovesTheShardLeavesItsFilesToTheJournal() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      boxes(first, kind).getByName("x").put("key", "by a");
    }
    shard.leave("a"); // the next owner need not wait for a save

    ObjectRuntime second = shard.own("b");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      boxes(second, kind).getByName("x").put("b", "by b");
    }
    shard.leave("b");

    ObjectRuntime third = shard.own("a");
    assertThat(third.statistics().databases().redoneBatches()).isPositive();
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      assertThat(boxes(third, kind).getByName("x").all()).hasToString("{b=by b, key=by a}");
    }
  }

  /** With the next entry a log says that one before it is accepted. */
  @Test
  void ownerProposesAnEntryThoughNobodyCallsIt() throws InterruptedException {
    shard.own("a");
    assertThat(shard.lastEntry()).isGreaterThan(shard.epoch("a"));
  }

  @Test
  void deposedOwnerAnswersNobody() throws InterruptedException {
    Box deposed = boxes(shard.own("a"), StorageKind.SQLITE).getByName("x");
    deposed.put("key", "old");
    shard.hold("a", true);
    Box owner = boxes(shard.own("b"), StorageKind.SQLITE).getByName("x");
    owner.put("key", "new");
    CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> deposed.all().toString());
    CompletableFuture<String> write = CompletableFuture.supplyAsync(() -> deposed.put("k", "v"));
    assertThat(owner.all()).hasToString("{key=new}"); // meanwhile neither has an answer
    assertThat(read).isNotDone();
    assertThat(write).isNotDone();
    shard.hold("a", false);
    assertThatThrownBy(read::join).hasRootCauseInstanceOf(OwnershipLostException.class);
    assertThatThrownBy(write::join).isNotNull();
    assertThatThrownBy(deposed::all).isInstanceOf(JournalFailedException.class);
    assertThat(owner.all()).hasToString("{key=new}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void deposedOwnerAnswersNothingOfAnObjectThatItHasNotWritten(StorageKind kind)
      throws InterruptedException {
    boxes(shard.own("b"), kind).getByName("x").put("key", "old");
    ObjectRuntime deposed = shard.own("a");
    shard.hold("a", true);
    Box owner = boxes(shard.own("b"), kind).getByName("x");
    owner.put("key", "new");
    Box old = boxes(deposed, kind).getByName("x");
    CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> old.all().toString());
    while (!read.isDone() && deposed.statistics().journal().waiters() == 0) {
      Thread.onSpinWait();
    }
    assertThat(read).isNotDone();
    shard.hold("a", false);
    assertThatThrownBy(read::join).hasRootCauseInstanceOf(OwnershipLostException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void stateIsRestoredThatAnEarlierOwnerHad(StorageKind kind) throws InterruptedException {
    Box first = boxes(shard.own("a"), kind).getByName("x");
    first.put("key", "good");
    String bookmark = first.bookmark();
    ObjectRuntime second = shard.own("b");
    ObjectNamespace<Box> boxes = boxes(second, kind);
    boxes.getByName("x").put("key", "bad");
    second.admin().restoreNow(kind.name(), boxes.idFromName("x"), bookmark);
    assertThat(boxes.getByName("x").all()).hasToString("{key=good}");
    assertThat(boxes(shard.own("a"), kind).getByName("x").all()).hasToString("{key=good}");
  }

  @Test
  void alarmFiresAtTheNextOwner() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    boxes(first, StorageKind.SQLITE).getByName("x").wake();
    shard.own("b").admin().startAlarms();
    woken.acquire();
  }

  /** What a handler does outside, as a mail, cannot be held back. */
  @Test
  void alarmRunsAtTheOwnerAlone() throws InterruptedException {
    ObjectRuntime deposed = shard.own("a");
    boxes(deposed, StorageKind.SQLITE).getByName("x").wake();
    shard.hold("a", true);
    shard.own("b").admin().startAlarms();
    woken.acquire();
    deposed.admin().startAlarms();
    while (woken.availablePermits() == 0 && deposed.statistics().journal().waiters() == 0) {
      Thread.onSpinWait();
    }
    assertThat(woken.availablePermits()).isZero();
    shard.hold("a", false);
    while (deposed.health().state() == HealthState.UP) {
      Thread.onSpinWait();
    }
    assertThat(woken.availablePermits()).isZero();
  }

  /** The owner goes on with later events: an earlier one must not follow. */
  @Test
  void eventIsDeliveredAtTheOwnerAlone() throws InterruptedException {
    ObjectRuntime deposed = shard.own("a");
    Semaphore goesOn = new Semaphore(0);
    BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    deposed.consume(
        "events",
        "index",
        String.class,
        ConsumerOptions.DEFAULT.withBatchEventsMax(1),
        events -> {
          delivered.add(events.getFirst().value());
          goesOn.acquireUninterruptibly();
        });
    Box box = boxes(deposed, StorageKind.SQLITE).getByName("x");
    box.emit("first");
    box.emit("second");
    assertThat(delivered.take()).isEqualTo("first");
    shard.hold("a", true);
    shard.own("b");
    goesOn.release(2);
    while (delivered.isEmpty() && deposed.statistics().journal().waiters() == 0) {
      Thread.onSpinWait();
    }
    assertThat(delivered).isEmpty();
    shard.hold("a", false);
    deposed.close();
    assertThat(delivered).isEmpty();
  }

  @Test
  void nodeThatLostItsFilesGetsThemFromTheLog() throws InterruptedException {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      boxes(shard.own("a"), kind).getByName("x").put("key", kind.name());
      boxes(shard.own("b"), kind).getByName("x").put("b", kind.name());
    }
    shard.replace("a", "a2");
    ObjectRuntime again = shard.own("a");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      assertThat(boxes(again, kind).getByName("x").all())
          .hasToString("{b=" + kind + ", key=" + kind + "}");
    }
  }

  @Test
  void ownerThatWasAwayForLongGoesOnWithItsOwnFiles() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      boxes(first, kind).getByName("x").put("key", "by a");
      boxes(first, kind).getByName("untouched").put("key", "by a");
    }
    shard.stop("a");
    ObjectRuntime second = shard.own("b");
    TreeMap<String, String> expected = new TreeMap<>(Map.of("key", "by a"));
    for (int i = 0; i < 100; i++) {
      String text = "by b ".repeat(1000) + i;
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        boxes(second, kind).getByName("x").put("k" + i % 20, text);
      }
      expected.put("k" + i % 20, text);
    }
    for (String node : List.of("b", "c")) { // both save what they have
      shard.stop(node);
      shard.start(node);
    }
    shard.drop();

    shard.start("a");
    ObjectRuntime again = shard.own("a");

    assertThat(shard.fetches()).isPositive();
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      assertThat(boxes(again, kind).getByName("x").all()).isEqualTo(expected);
      assertThat(boxes(again, kind).getByName("untouched").all()).hasToString("{key=by a}");
      boxes(again, kind).getByName("x").remove("key");
    }
    expected.remove("key");
    ObjectRuntime last = shard.own("c");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      assertThat(boxes(last, kind).getByName("x").all()).isEqualTo(expected);
    }
  }

  @Test
  void objectsAreAsAModelSaysWhoeverOwnsThem() throws InterruptedException {
    Random random = new Random(20261124);
    TreeMap<String, TreeMap<String, String>> model = new TreeMap<>();
    for (int round = 0; round < 12; round++) {
      ObjectRuntime owner = shard.own(List.of("a", "b", "c").get(random.nextInt(3)));
      model.forEach(
          (name, pairs) -> {
            StorageKind kind =
                List.of(StorageKind.SQLITE, StorageKind.ROCKSDB).get(name.hashCode() & 1);
            assertThat(boxes(owner, kind).getByName(name).all()).isEqualTo(pairs);
          });
      for (int step = 0; step < 60; step++) {
        String name = "object-" + random.nextInt(12);
        StorageKind kind =
            List.of(StorageKind.SQLITE, StorageKind.ROCKSDB).get(name.hashCode() & 1);
        Box box = boxes(owner, kind).getByName(name);
        String key = "key-" + random.nextInt(40);
        TreeMap<String, String> pairs = model.computeIfAbsent(name, _ -> new TreeMap<>());
        if (random.nextInt(4) == 0) {
          box.remove(key);
          pairs.remove(key);
        } else {
          String text = "text ".repeat(random.nextInt(1500)) + step;
          box.put(key, text);
          pairs.put(key, text);
        }
      }
      if (random.nextBoolean()) {
        owner.close();
      }
    }
    for (String node : List.of("a", "b", "c")) {
      assertThat(shard.failure(node)).isNull();
    }
  }
}
