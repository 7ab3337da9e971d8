package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.replica.CopyHold;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the owner of a shard purges leaves the files of every replica, and never comes back. */
final class ShardPurgeTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final ObjectKey PURGED = SimulatedShard.KEY;

  private static final ObjectKey KEPT =
      new ObjectKey("accounts", ObjectId.of(filled((byte) 1), null));

  private static final String SECRET = "secret-";

  private static byte[] filled(byte value) {
    byte[] bytes = new byte[32];
    java.util.Arrays.fill(bytes, value);
    return bytes;
  }

  private static SimulatedShard shard(long seed, SimulatedLog.Faults faults) {
    SimulatedShard shard =
        new SimulatedShard(
            RandomGeneratorFactory.of("L64X128MixRandom").create(seed),
            faults,
            NAMES,
            options -> options.withSegmentBytes(8192));
    shard.log().keptBy(NAMES.stream().map(NodeId::new).toList());
    return shard;
  }

  /** Two objects whose files have how many records each has had; a gap is an error. */
  private static final class Counts implements JournalView {
    private final MemoryDisk disk;
    private final Journal journal;
    private final Path file = SimulatedShard.DIRECTORY.resolve("sqlite/counts");
    private final Map<ObjectKey, Integer> counts = new HashMap<>();
    private final TreeMap<Long, ObjectKey> unsaved = new TreeMap<>();
    private final Map<ObjectKey, Integer> saved = new HashMap<>();
    private long savedTo;

    Counts(MemoryDisk disk, Journal journal) {
      this.disk = disk;
      this.journal = journal;
      if (disk.exists(file)) {
        try (DiskFile open = disk.open(file, Mode.READ)) {
          byte[] bytes = new byte[16];
          open.read(bytes, 0, 16, 0);
          ByteBuffer read = ByteBuffer.wrap(bytes);
          savedTo = read.getLong();
          saved.put(PURGED, read.getInt());
          saved.put(KEPT, read.getInt());
          counts.putAll(saved);
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    }

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {
      log.forEach(
          record -> {
            if (record.viewId() != 1 || record.position() <= savedTo) {
              return;
            }
            String text = StandardCharsets.UTF_8.decode(record.payload().duplicate()).toString();
            int number = Integer.parseInt(text.substring(text.indexOf('-') + 1, text.indexOf('.')));
            if (number != counts.getOrDefault(record.key(), 0) + 1) {
              throw new AssertionError("After " + counts + " comes " + text.substring(0, 20));
            }
            counts.put(record.key(), number);
            unsaved.put(record.position(), record.key());
          });
    }

    void append(ObjectKey key, int bytes) {
      int number = counts.merge(key, 1, Integer::sum);
      String text = (key.equals(PURGED) ? SECRET : "kept-") + number + "." + "x".repeat(bytes);
      long position =
          journal.append(
              RecordKind.BATCH,
              1,
              key,
              ChainLink.FIRST,
              ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      unsaved.put(position, key);
    }

    void save() {
      long durable = journal.durablePosition();
      Map<Long, ObjectKey> written = unsaved.headMap(durable, true);
      written.values().forEach(key -> saved.merge(key, 1, Integer::sum));
      written.clear();
      savedTo = Math.max(savedTo, durable);
      ByteBuffer bytes = ByteBuffer.allocate(16).putLong(savedTo);
      bytes.putInt(saved.getOrDefault(PURGED, 0)).putInt(saved.getOrDefault(KEPT, 0));
      try {
        disk.ensureDirectory(Objects.requireNonNull(file.getParent()));
        disk.replace(file, bytes.array());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public long lowWaterMark() {
      return savedTo + 1;
    }

    @Override
    public void checkpointBefore(long position) {
      save();
    }
  }

  private static Counts open(SimulatedShard shard, String name, ShardJournal journal) {
    Counts opened = new Counts(shard.memory(name), journal);
    opened.recover(journal.recoveryLog());
    journal.start(List.of(opened));
    return opened;
  }

  /** A round of a node that does not own the shard. */
  private static void follow(SimulatedShard shard, String name) {
    RoundJournal round = shard.replica(name).beginRound(Long.MAX_VALUE, _ -> false);
    if (round != null) {
      Counts followed = new Counts(shard.memory(name), round);
      followed.recover(round.recoveryLog());
      ReplicaPurge.Erasing erasing = shard.replica(name).purges().erasing(round.lastPosition());
      followed.save();
      if (round.finish(List.of(followed)) && erasing != null) {
        shard.replica(name).purges().erased(erasing);
      }
    }
  }

  /** Time goes on, and nodes work. */
  private static void goOn(SimulatedShard shard, String... followers) {
    for (int i = 0; i < 12; i++) {
      shard.clock().advance(Duration.ofMillis(500));
      shard.log().settle();
      for (String each : followers) {
        follow(shard, each);
      }
    }
  }

  private static boolean has(SimulatedShard shard, String name, String text) {
    byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
    return has(shard.memory(name), SimulatedShard.DIRECTORY, wanted);
  }

  private static boolean has(MemoryDisk disk, Path place, byte[] wanted) {
    return Stream.of("", "journal", "sqlite")
        .flatMap(each -> disk.list(each.isEmpty() ? place : place.resolve(each)).stream())
        .anyMatch(file -> isIn(disk, file, wanted));
  }

  private static boolean isIn(MemoryDisk disk, Path file, byte[] wanted) {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      byte[] bytes = new byte[(int) open.size()];
      open.read(bytes, 0, bytes.length, 0);
      return new String(bytes, StandardCharsets.ISO_8859_1)
          .contains(new String(wanted, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void fill(SimulatedShard shard, Counts counts, int records) {
    for (int i = 0; i < records; i++) {
      counts.append(i % 3 == 0 ? PURGED : KEPT, 900);
      shard.log().settle();
    }
  }

  @Test
  void whatIsPurgedLeavesTheSegmentsOfAllNodesWhichStayEqual() {
    try (SimulatedShard shard = shard(1, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 40);
      goOn(shard, "b", "c");
      assertThat(NAMES).allMatch(name -> has(shard, name, SECRET));

      CompletableFuture<Void> purged = journal.purge(PURGED, journal.lastPosition());
      goOn(shard);
      assertThat(purged).isCompleted();
      assertThat(has(shard, "a", SECRET)).isFalse();
      assertThat(has(shard, "b", SECRET)).as("its files need the records").isTrue();
      CompletableFuture<Void> elsewhere = journal.whenPurgedElsewhere(PURGED);
      goOn(shard, "b");
      assertThat(elsewhere).isNotDone();
      for (int i = 0; i < 4; i++) {
        goOn(shard, "b", "c");
      }
      assertThat(elsewhere).as("the log has the entries").isNotDone();
      shard.log().drop();
      goOn(shard, "b", "c");

      assertThat(elsewhere).isCompleted();
      assertThat(NAMES).noneMatch(name -> has(shard, name, SECRET));
      assertThat(NAMES).allMatch(name -> has(shard, name, "kept-13."));
      assertThat(shard.segments("b")).isEqualTo(shard.segments("a"));
      assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
      assertThat(journal.troubles()).isEmpty();
    }
  }

  @Test
  void whatTheObjectWritesLaterStays() {
    try (SimulatedShard shard = shard(2, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 20);
      long upTo = journal.lastPosition();
      int before = (int) counts.counts.get(PURGED);
      fill(shard, counts, 20);
      journal.purge(PURGED, upTo);
      goOn(shard, "b", "c");

      for (String name : NAMES) {
        assertThat(has(shard, name, SECRET + before + ".")).as(name).isFalse();
        assertThat(has(shard, name, SECRET + (before + 1) + ".")).as(name).isTrue();
      }
    }
  }

  /** An archive that has what is before a position. */
  private static final class Archived implements JournalView {
    private long floor;

    @Override
    public int viewId() {
      return 253;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return Long.MAX_VALUE;
    }

    @Override
    public void checkpointBefore(long position) {}

    @Override
    public long purgeFloor() {
      return floor;
    }
  }

  @Test
  void archiveSettlesBehindEverythingThatIsNeeded() {
    try (SimulatedShard shard = shard(9, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = new Counts(shard.memory("a"), journal);
      counts.recover(journal.recoveryLog());
      Archived archived = new Archived();
      journal.start(List.of(counts, archived));
      fill(shard, counts, 10);
      long last = journal.lastPosition();
      CompletableFuture<Long> one = journal.settle();
      goOn(shard);
      assertThat(one).isNotDone();
      archived.floor = last + 1;
      goOn(shard);
      assertThat(one).as("up to what was appended").isCompletedWithValue(last + 1);

      fill(shard, counts, 10);
      CompletableFuture<Void> purged = journal.purge(PURGED, journal.lastPosition());
      CompletableFuture<Long> two = journal.settle();
      archived.floor = Long.MAX_VALUE;
      goOn(shard);
      assertThat(purged).isCompleted();
      assertThat(two).isCompleted();
      assertThat(two.join()).isGreaterThan(last + 10);
      assertThat(shard.segments("a"))
          .containsKeys("%016x.log".formatted(one.join()), "%016x.log".formatted(two.join()));

      CompletableFuture<Long> lost = journal.settle();
      shard.owned("b");
      assertThat(lost).isCompletedExceptionally();
    }
  }

  /** An image that begins with the record is of the journal only when that is accepted. */
  @Test
  void archiveSettlesOnceTheRecordIsDurable() {
    try (SimulatedShard shard = shard(10, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 10);
      assertThat(journal.settle()).isNotDone();
      goOn(shard);
      counts.save();
      goOn(shard);
      CompletableFuture<Long> settled = journal.settle();
      CompletableFuture<Long> durable = settled.thenApply(_ -> journal.durablePosition());
      for (int i = 0; i < 20; i++) {
        shard.clock().advance(Duration.ofMillis(500));
        if (i % 4 == 3) {
          shard.log().settle();
        }
      }
      goOn(shard);
      assertThat(settled).isCompleted();
      assertThat(durable.join()).isGreaterThanOrEqualTo(settled.join());
    }
  }

  @Test
  void nodeThatWasAwayHoldsThePurgeAndDoesItThen() {
    try (SimulatedShard shard = shard(3, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      goOn(shard, "b", "c");
      shard.losePower("c");
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b");
      CompletableFuture<Void> elsewhere = journal.whenPurgedElsewhere(PURGED);
      shard.clock().advance(Duration.ofNanos(ShardPurge.WAITING_NANOS_MAX));
      goOn(shard, "b");
      assertThat(elsewhere).isNotDone();
      assertThat(journal.troubles())
          .singleElement()
          .satisfies(
              each -> {
                assertThat(each.code()).isEqualTo("purge-waits");
                assertThat(each.text()).contains("c is away");
              });

      shard.start("c");
      goOn(shard, "b", "c");
      shard.log().drop();
      goOn(shard, "b", "c");
      assertThat(elsewhere).isCompleted();
      assertThat(NAMES).noneMatch(name -> has(shard, name, SECRET));
      assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
    }
  }

  /** Its segments are those of before, and its files may need records that are void now. */
  @Test
  void nodeThatLacksAPurgeTakesNoSegmentsAlone() {
    try (SimulatedShard shard = shard(4, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      goOn(shard, "b");
      shard.losePower("c");
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b");
      shard.log().drop();
      shard.start("c");

      assertThatThrownBy(() -> shard.log().settle()).hasMessageContaining("does not own the shard");
      assertThat(has(shard, "c", SECRET)).as("as before").isTrue();
    }
  }

  @Test
  void segmentsOfBeforeAPurgeAreNotTakenBack() {
    try (SimulatedShard shard = shard(5, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      shard.losePower("c");
      fill(shard, counts, 10);
      goOn(shard, "b");
      shard.log().drop();
      shard.distort(source -> ReplicaStates.withPurged(source, 0));
      shard.start("c");
      assertThatThrownBy(() -> shard.log().settle()).hasMessageContaining("not yet purged");

      shard.distort(source -> source);
      goOn(shard, "b", "c");
      assertThat(has(shard, "c", SECRET)).isEqualTo(has(shard, "a", SECRET));
      assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
    }
  }

  /** What it has copied so far would be of no use, and the purge would wait for it all the same. */
  @Test
  void purgeBeginsAfterACopyThatIsUnderWay() {
    try (SimulatedShard shard = shard(6, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      shard.replica("a").source().state(0);
      CompletableFuture<Void> purged = journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      assertThat(purged).isNotDone();
      assertThat(shard.replica("a").source().state(0).purged()).isZero();

      shard.clock().advance(Duration.ofNanos(CopyHold.SILENCE_NANOS));
      goOn(shard, "b", "c");
      assertThat(purged).isCompleted();
    }
  }

  @Test
  void segmentsAreNotGivenInTheMiddleOfAPurge() {
    try (SimulatedShard shard = shard(7, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      SealedSegments sealed = shard.replica("b").sealed();
      assertThat(sealed.read(1, 0)).isNotEmpty();
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "c");

      assertThatThrownBy(() -> sealed.read(1, 0)).hasMessageContaining("purged");
      assertThatThrownBy(() -> shard.replica("b").source().read(1, 0))
          .hasMessageContaining("purged");
      goOn(shard, "b");
      assertThat(sealed.read(1, 0)).isEqualTo(shard.replica("a").sealed().read(1, 0));
    }
  }

  /** A log that is slow gives up what is too much, and with it the ownership. */
  @Test
  void fillersWaitForTheLog() {
    try (SimulatedShard shard = shard(8, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      journal.whenPurgedElsewhere(PURGED);
      goOn(shard, "b", "c");
      long before = shard.replica("a").source().state(0).index();
      for (int i = 0; i < 100; i++) {
        shard.clock().advance(Duration.ofMillis(500)); // nothing is ordered
      }
      shard.log().settle();

      assertThat(shard.replica("a").source().state(0).index() - before).isLessThan(12);
    }
  }

  /** The logs of all nodes would grow for as long as the node does not go on. */
  @Test
  void fillersEndIfAMemberAnswersAndAppliesNothing() {
    try (SimulatedShard shard = shard(9, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      CompletableFuture<Void> elsewhere = journal.whenPurgedElsewhere(PURGED);
      long before = shard.log().lastIndex();
      for (int i = 0; i < 200; i++) {
        shard.clock().advance(Duration.ofMillis(500));
        shard.log().order(new NodeId("a"));
        shard.log().pass(new NodeId("a"));
        shard.log().pass(new NodeId("b"));
      }
      assertThat(shard.log().lastIndex() - before).isBetween(10L, 120L);

      shard.log().settle();
      goOn(shard, "b", "c");
      shard.log().drop();
      goOn(shard, "b", "c");
      assertThat(elsewhere).isCompleted();
    }
  }

  /** The files of the owner are not given meanwhile, and nobody else knows. */
  @Test
  void ownerThatCannotEraseItsFilesSaysSoUntilItHas() {
    try (SimulatedShard shard = shard(10, SimulatedLog.Faults.NONE)) {
      ShardJournal journal = shard.owned("a");
      Counts counts = open(shard, "a", journal);
      fill(shard, counts, 30);
      CompletableFuture<Void> purged = journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      assertThat(purged).isCompleted();
      assertThat(journal.troubles()).as("it has just begun").isEmpty();
      shard.clock().advance(Duration.ofNanos(ShardPurge.WAITING_NANOS_MAX));
      assertThatThrownBy(() -> shard.replica("a").source().image())
          .hasMessageContaining("being purged");
      assertThat(journal.troubles())
          .singleElement()
          .satisfies(
              each -> {
                assertThat(each.code()).isEqualTo("purge-waits");
                assertThat(each.text()).contains("1 objects on this node", "purge again");
              });

      counts.append(PURGED, 900);
      shard.log().settle();
      journal.purge(PURGED, journal.lastPosition());
      goOn(shard, "b", "c");
      CompletableFuture<Void> elsewhere = journal.whenPurgedElsewhere(PURGED);
      goOn(shard, "b", "c");
      shard.log().drop();
      goOn(shard, "b", "c");
      assertThat(elsewhere).isCompleted();
      assertThat(journal.troubles()).isEmpty();
    }
  }

  /** Restarts, changes of owner and refused proposals in any order. */
  @Test
  void purgesEndAlikeWhateverHappens() {
    boolean isLong = "long".equals(System.getProperty("holdfast.tests"));
    int purges = 0;
    for (long seed = 1; seed <= (isLong ? 20_000 : 60); seed++) {
      Run run = new Run(seed);
      try {
        purges += run.go();
      } catch (RuntimeException | AssertionError e) {
        fail("Seed " + seed, e);
      }
    }
    assertThat(purges).isGreaterThan(50);
  }

  private static final class Run {
    private final RandomGenerator random;
    private final SimulatedShard shard;
    private final Map<String, Counts> objects = new HashMap<>();
    private final Map<String, ShardJournal> opened = new HashMap<>();
    private int purges;

    Run(long seed) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.shard = shard(seed, new SimulatedLog.Faults(random.nextInt(4), 50, random.nextInt(3)));
    }

    int go() {
      try (shard) {
        for (int step = 0; step < 500; step++) {
          String name = NAMES.get(random.nextInt(NAMES.size()));
          int dice = random.nextInt(100);
          Counts mine = counts(name);
          if (dice < 45) {
            shard.log().step();
          } else if (dice < 48) {
            restart(name);
          } else if (dice < 60) {
            shard.clock().advance(Duration.ofMillis(random.nextInt(1500)));
          } else if (dice < 64 && shard.isRunning(name)) {
            shard.replica(name).claim();
          } else if (dice < 70 && mine == null && shard.isRunning(name)) {
            if (opened.get(name) == null || opened.get(name).failure() != null) {
              follow(shard, name);
            }
          } else if (dice < 95 && mine != null) {
            ShardJournal journal = opened.get(name);
            if (journal.lastPosition() == journal.durablePosition()) {
              mine.append(random.nextInt(3) == 0 ? PURGED : KEPT, random.nextInt(1500));
            }
          } else if (dice < 98 && mine != null) {
            purges++;
            ShardJournal journal = opened.get(name);
            journal.purge(PURGED, journal.lastPosition());
          }
        }
        check();
      }
      return purges;
    }

    private void restart(String name) {
      if (shard.isRunning(name)) {
        shard.losePower(name);
        objects.remove(name);
        opened.remove(name);
      } else {
        shard.start(name);
      }
    }

    /** {@return the objects of a node, while it owns the shard} */
    private @Nullable Counts counts(String name) {
      List<ShardJournal> owned = shard.isRunning(name) ? shard.allOwned(name) : List.of();
      if (owned.isEmpty() || owned.getLast().failure() != null) {
        return null;
      }
      if (opened.get(name) != owned.getLast()) {
        opened.put(name, owned.getLast());
        objects.put(name, open(shard, name, owned.getLast()));
      }
      return objects.get(name);
    }

    private void check() {
      NAMES.stream().filter(name -> !shard.isRunning(name)).forEach(shard::start);
      shard.log().settle();
      ShardJournal journal = claimed();
      String owner = journal == null ? "a" : ownerOf(journal);
      Counts counts = Objects.requireNonNull(counts(owner));
      counts.append(PURGED, 100);
      shard.log().settle();
      journal = opened.get(owner);
      CompletableFuture<Void> purged = journal.purge(PURGED, journal.lastPosition());
      List<String> others = new ArrayList<>(NAMES);
      others.remove(owner);
      for (int i = 0; i < 4 && !purged.isDone(); i++) {
        goOn(shard, others.toArray(String[]::new));
      }
      assertThat(purged).isCompleted();
      CompletableFuture<Void> elsewhere = journal.whenPurgedElsewhere(PURGED);
      for (int i = 0; i < 4 && !elsewhere.isDone(); i++) {
        goOn(shard, others.toArray(String[]::new));
        shard.log().drop();
      }
      assertThat(elsewhere).isCompleted();
      assertThat(NAMES).noneMatch(name -> has(shard, name, SECRET));
      assertThat(shard.segments("b")).isEqualTo(shard.segments("a"));
      assertThat(shard.segments("c")).isEqualTo(shard.segments("a"));
    }

    private @Nullable ShardJournal claimed() {
      for (int i = 0; i < 200; i++) {
        shard.replica("a").claim();
        shard.log().settle();
        List<ShardJournal> owned = shard.allOwned("a");
        if (!owned.isEmpty() && owned.getLast().failure() == null) {
          return owned.getLast();
        }
      }
      return null;
    }

    private String ownerOf(ShardJournal journal) {
      return NAMES.stream()
          .filter(name -> shard.allOwned(name).contains(journal))
          .findFirst()
          .orElseThrow();
    }
  }
}
