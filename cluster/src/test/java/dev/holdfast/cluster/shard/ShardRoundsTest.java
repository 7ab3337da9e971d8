package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.Subscription;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that bring their files forward while another node owns the shard. */
class ShardRoundsTest {

  private static final long ALL = Long.MAX_VALUE;

  /** Keeps pairs. */
  public interface Box {

    /** Stores a text. */
    void put(String key, String text);

    /** Removes a pair. */
    void remove(String key);

    /** Returns all pairs. */
    TreeMap<String, String> all();

    /** Returns a bookmark of the present state. */
    String bookmark();

    /** Sets an alarm. */
    void wakeAt(Instant time);

    /** Emits an event. */
    void tell(String text);
  }

  private final Semaphore woken = new Semaphore(0);

  private final class BoxObject implements Box, AlarmHandler {

    private final ObjectContext context;

    BoxObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void put(String key, String text) {
      context.storage().put(key, text);
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
    public void wakeAt(Instant time) {
      context.storage().setAlarm(time);
    }

    @Override
    public void tell(String text) {
      context.storage().put("told", text);
      context.emit("news", text);
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
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                register(objects, kind);
              }
            });
  }

  private void register(ObjectRegistrar objects, StorageKind kind) {
    objects.namespace(
        kind.name(),
        Box.class,
        BoxObject::new,
        NamespaceOptions.DEFAULT.withStorage(kind).withRecoveryWindow(Duration.ofDays(1)));
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(kind.name(), Box.class);
  }

  private static void write(ObjectRuntime owner, int first, int last) {
    for (int i = first; i < last; i++) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        boxes(owner, kind).getByName("x" + i % 10).put("key" + i, "text " + i);
      }
    }
  }

  @Test
  void nodeThatFollowsHasLittleToRedo() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    write(first, 0, 300);
    assertThat(shard.follow("b", ALL)).isTrue();
    assertThat(shard.lowWaterMark("b")).isLessThanOrEqualTo(shard.lastPosition("b"));
    long read = shard.lastPosition("b");
    write(first, 300, 303);

    ObjectRuntime second = shard.own("b");

    assertThat(second.statistics().recovery().records())
        .isLessThanOrEqualTo(shard.lastPosition("b") - read + 1);
    assertThat(second.statistics().databases().redoneBatches()).isEqualTo(3);
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      ObjectNamespace<Box> boxes = boxes(second, kind);
      assertThat(boxes.list(ObjectListOptions.ALL).items()).hasSize(10);
      for (int i = 0; i < 10; i++) {
        TreeMap<String, String> expected = new TreeMap<>();
        for (int each = i; each < 303; each += 10) {
          expected.put("key" + each, "text " + each);
        }
        assertThat(boxes.getByName("x" + i).all()).isEqualTo(expected);
      }
    }
  }

  @Test
  void recordsOfAStorageThatANodeDoesNotUseAreKeptThere() throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    write(first, 0, 30);
    assertThat(shard.follow("b", ALL, objects -> register(objects, StorageKind.SQLITE))).isTrue();
    write(first, 30, 40);
    assertThat(shard.follow("b", ALL, objects -> register(objects, StorageKind.SQLITE))).isTrue();

    ObjectRuntime second = shard.own("b");

    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      assertThat(boxes(second, kind).getByName("x1").all()).hasSize(4);
    }
  }

  @Test
  void namespaceOfAnotherStorageIsRefusedWhereNoFileHasItsObjects() throws InterruptedException {
    write(shard.own("a"), 0, 10);
    assertThatThrownBy(
            () ->
                shard.own(
                    "b",
                    objects ->
                        objects.namespace(StorageKind.ROCKSDB.name(), Box.class, BoxObject::new)))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("but has objects in ROCKSDB");
  }

  @Test
  void lowWaterMarkRisesAndStaysAcrossAStop() throws InterruptedException {
    ObjectRuntime owner = shard.own("a");
    for (int round = 1; round <= 3; round++) {
      write(owner, 20 * round, 20 * round + 20);
      long before = shard.lowWaterMark("b");
      assertThat(shard.follow("b", ALL)).isTrue();
      shard.stop("b");
      shard.start("b");
      assertThat(shard.lowWaterMark("b")).isGreaterThanOrEqualTo(before + 39);
      assertThat(shard.follow("b", ALL)).as("without new records").isFalse();
    }
  }

  @Test
  void longBacklogIsReadInSeveralRounds() throws InterruptedException {
    ObjectRuntime owner = shard.own("a");
    for (int i = 0; i < 40; i++) {
      boxes(owner, StorageKind.SQLITE).getByName("x" + i).put("key", "text ".repeat(10_000));
    }
    int rounds = 0;
    while (shard.follow("b", 256 << 10)) {
      rounds++;
    }
    assertThat(rounds).isBetween(4, 20);
    assertThat(shard.behindBytes("b")).isZero();
    ObjectRuntime next = shard.own("b");
    assertThat(next.statistics().databases().redoneBatches()).isZero();
    assertThat(boxes(next, StorageKind.SQLITE).getByName("x39").all()).containsKey("key");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void restoresGoOnAfterRounds(StorageKind kind) throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    Box box = boxes(first, kind).getByName("x");
    box.put("key", "good");
    String good = box.bookmark();
    shard.follow("b", ALL);
    box.put("key", "bad");
    first.admin().restoreNow(kind.name(), boxes(first, kind).idFromName("x"), good);
    shard.follow("b", ALL);
    box.put("key", "worse");
    String worse = box.bookmark();
    box.put("key", "worst");
    first.recovery(kind.name(), boxes(first, kind).idFromName("x")).restoreOnNextSession(worse);
    shard.follow("b", ALL);
    shard.follow("b", ALL);

    ObjectRuntime second = shard.own("b");

    assertThat(boxes(second, kind).getByName("x").all()).hasToString("{key=worse}");
    assertThat(second.recovery(kind.name(), boxes(second, kind).idFromName("x")).restorations())
        .hasSize(2);
    second.admin().restoreNow(kind.name(), boxes(second, kind).idFromName("x"), good);
    assertThat(boxes(second, kind).getByName("x").all()).hasToString("{key=good}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void alarmsFireAfterRounds(StorageKind kind) throws InterruptedException {
    ObjectRuntime first = shard.own("a");
    boxes(first, kind).getByName("later").wakeAt(Instant.now().plus(Duration.ofDays(1)));
    shard.stop("c");
    shard.follow("b", ALL);
    boxes(first, kind).getByName("later").wakeAt(Instant.now());
    woken.acquire();
    boxes(first, kind).getByName("later").wakeAt(Instant.now().plus(Duration.ofDays(1)));
    shard.follow("b", ALL);
    ObjectRuntime second = shard.own("b");
    assertThat(
            second.namespace(kind.name(), Box.class).alarms().pending(Optional.empty(), 10).items())
        .hasSize(1);
    shard.start("c");
  }

  @Test
  void consumersGoOnAfterRounds() throws Exception {
    ObjectRuntime first = shard.own("a");
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Subscription subscription = consume(first, heard);
    boxes(first, StorageKind.SQLITE).getByName("x").tell("one");
    assertThat(heard.take()).isEqualTo("one");
    subscription.close();
    shard.follow("b", ALL);
    boxes(first, StorageKind.SQLITE).getByName("x").tell("two");
    shard.follow("b", ALL);
    ObjectRuntime second = shard.own("b");
    Subscription again = consume(second, heard);
    String next = heard.take();
    // The place is durable with the records after it; what follows it is repeated.
    assertThat(next.equals("one") ? heard.take() : next).isEqualTo("two");
    again.close();
  }

  private static Subscription consume(ObjectRuntime runtime, BlockingQueue<String> heard) {
    return runtime.consume(
        "news",
        "test",
        String.class,
        ConsumerOptions.DEFAULT.withStart(ConsumerStart.OLDEST),
        events -> events.forEach(event -> heard.add(event.value())));
  }

  @Test
  void objectsAreAsAModelSaysWhoeverFollowsAndOwnsThem() throws InterruptedException {
    Random random = new Random(20261127);
    List<String> nodes = List.of("a", "b", "c");
    TreeMap<String, TreeMap<String, String>> model = new TreeMap<>();
    for (int turn = 0; turn < 10; turn++) {
      String name = nodes.get(random.nextInt(3));
      ObjectRuntime owner = shard.own(name);
      model.forEach(
          (object, pairs) -> {
            StorageKind kind =
                List.of(StorageKind.SQLITE, StorageKind.ROCKSDB).get(object.hashCode() & 1);
            assertThat(boxes(owner, kind).getByName(object).all()).isEqualTo(pairs);
          });
      for (int step = 0; step < 40; step++) {
        String object = "object-" + random.nextInt(12);
        StorageKind kind =
            List.of(StorageKind.SQLITE, StorageKind.ROCKSDB).get(object.hashCode() & 1);
        Box box = boxes(owner, kind).getByName(object);
        String key = "key-" + random.nextInt(40);
        TreeMap<String, String> pairs = model.computeIfAbsent(object, _ -> new TreeMap<>());
        if (random.nextInt(4) == 0) {
          box.remove(key);
          pairs.remove(key);
        } else {
          String text = "text ".repeat(random.nextInt(1500)) + step;
          box.put(key, text);
          pairs.put(key, text);
        }
        if (random.nextInt(15) == 0) {
          String follower = nodes.get(random.nextInt(3));
          if (!follower.equals(name)) {
            shard.follow(follower, random.nextBoolean() ? ALL : 20_000);
            if (random.nextInt(3) == 0) {
              shard.stop(follower);
              shard.start(follower);
            }
          }
        }
      }
    }
    for (String node : nodes) {
      assertThat(shard.failure(node)).isNull();
    }
  }
}
