package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cuts the power before every single step of a program that appends, spills, rolls back, saves,
 * evicts, closes and recovers. The remaining state must be that after some batch that is no older
 * than the last one acknowledged.
 */
@ParameterizedClass
@ValueSource(ints = {0, SqliteOptions.MEMORY_BYTES_MAX})
final class SqlitePowerLossTest {

  @Parameter private int memoryBytesMax;

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int SEEDS = LONG ? 20 : 1;

  /** A recovery of the program's objects takes about as many steps. */
  private static final int RECOVERY_STEPS = 23;

  /** Kept: the log manager drops unreferenced loggers, and each cut is reported. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  /** From the first trace of the catalog on. */
  private static final int CATALOG_CUTS = 8;

  private static final int CATALOG_SEEDS = 8;

  private static final int OBJECTS = 4;

  private static final ObjectQuery ALL_OBJECTS =
      new ObjectQuery(object(0).namespace(), null, null, OBJECTS);

  @TempDir private Path temporary;
  private int directories;

  /** What each object held after each position of the journal that changed it. */
  private final Map<ObjectKey, NavigableMap<Long, List<String>>> history = new HashMap<>();

  private long acknowledged;

  @BeforeAll
  static void silenceWantedFailures() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void reportAgain() {
    LOG.setLevel(null);
  }

  /** In a short run each size of the memory has every second step: together they have all. */
  private long firstStep() {
    return LONG || memoryBytesMax == 0 ? 0 : 1;
  }

  @Test
  void everyStepOfAProgramMayBeTheLast() throws IOException {
    long steps = stepsOf(this::program);
    for (long step = firstStep(); step <= steps; step += LONG ? 1 : 2) {
      cutAndRecover(step, this::program);
    }
  }

  /** The process dies, the machine continues; what the next process saves must not be lost. */
  @Test
  void whatADeadProcessHadBegunIsDurableOnceTheNextOneHasSaved() throws IOException {
    long steps = stepsOf(this::shortProgram);
    for (long step = firstStep(); step <= steps; step += LONG ? 1 : 2) {
      history.clear();
      acknowledged = 0;
      Path root = newDirectory();
      PowerLossDisk disk = new PowerLossDisk(root);
      disk.cutPowerAfter(step);
      run(disk, root, this::shortProgram);
      String when = "process killed after step " + step + ", " + disk.lastStep();
      disk.cutPowerAfter(Long.MAX_VALUE);
      try (Machine machine = new Machine(root, disk)) {
        forgetAfter(machine.foundPosition);
        shortProgram(machine);
        for (long seed = 0; seed < SEEDS; seed++) {
          Path image = newDirectory();
          disk.writeCrashImage(image, 31 * step + seed);
          requireRecovered(image, Long.MAX_VALUE, when);
        }
      }
    }
  }

  /** Power cuts while the catalog is created are few among all steps: many images of each. */
  @Test
  void catalogThatWasBeingMadeIsMadeAgain() throws IOException {
    long steps = stepsOf(this::catalogProgram);
    int cutsLeft = CATALOG_CUTS;
    for (long step = 0; step < steps && cutsLeft > 0; step++) {
      Path root = newDirectory();
      PowerLossDisk disk = new PowerLossDisk(root);
      disk.cutPowerAfter(step);
      history.clear();
      acknowledged = 0;
      run(disk, root, this::catalogProgram);
      if (hasCatalogFile(root)) {
        cutsLeft--;
        String when = "power cut after step " + step + ", " + disk.lastStep();
        for (long seed = 0; seed < CATALOG_SEEDS; seed++) {
          Path image = newDirectory();
          disk.writeCrashImage(image, 31 * step + seed);
          requireRecovered(image, Long.MAX_VALUE, when);
        }
      }
    }
  }

  private static boolean hasCatalogFile(Path root) {
    String[] names = root.resolve("sqlite").toFile().list();
    return names != null && Arrays.stream(names).anyMatch(name -> name.startsWith("catalog"));
  }

  private void catalogProgram(Machine machine) {
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("1")));
    acknowledge(machine);
    assertThat(machine.backend.catalog().objects(ALL_OBJECTS)).hasSize(1);
  }

  private void shortProgram(Machine machine) {
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("1")));
    write(machine, 1, turn -> turn.put(bytes("b"), bytes("2")));
    machine.backend.checkpointBefore(Long.MAX_VALUE);
    machine.backend.awaitIdle();
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("3")));
    acknowledge(machine);
  }

  private void forgetAfter(long position) {
    history.values().forEach(states -> states.tailMap(position, false).clear());
  }

  private long stepsOf(Program program) throws IOException {
    PowerLossDisk disk = new PowerLossDisk(newDirectory());
    run(disk, lastDirectory(), program);
    return disk.steps();
  }

  private void cutAndRecover(long step, Program program) throws IOException {
    history.clear();
    acknowledged = 0;
    Path root = newDirectory();
    PowerLossDisk disk = new PowerLossDisk(root);
    disk.cutPowerAfter(step);
    run(disk, root, program);
    String when = "power cut after step " + step + ", " + disk.lastStep();
    for (long seed = 0; seed < SEEDS; seed++) {
      Path image = newDirectory();
      disk.writeCrashImage(image, 31 * step + seed);
      requireRecovered(image, Long.MAX_VALUE, when);
    }
    recoverTwice(disk, step, when);
  }

  /** The power also fails during the first recovery. */
  private void recoverTwice(PowerLossDisk disk, long step, String when) throws IOException {
    Path first = newDirectory();
    disk.writeCrashImage(first, step);
    PowerLossDisk recovering = new PowerLossDisk(first);
    recovering.cutPowerAfter(step % RECOVERY_STEPS);
    AtomicLong found = new AtomicLong(Long.MAX_VALUE);
    run(recovering, first, machine -> found.set(machine.foundPosition));
    Path second = newDirectory();
    recovering.writeCrashImage(second, step);
    // Checkpoints of the first recovery have taken positions of lost batches.
    requireRecovered(
        second, found.get(), when + ", and in recovery after " + recovering.lastStep());
  }

  private void requireRecovered(Path directory, long lastPosition, String when) throws IOException {
    try (Machine machine = new Machine(directory, new FileDisk())) {
      long end = Math.min(machine.foundPosition, lastPosition);
      for (int number = 0; number < OBJECTS; number++) {
        ObjectKey key = object(number);
        List<String> found = contents(machine.backend.store(key));
        NavigableMap<Long, List<String>> states = history.getOrDefault(key, new TreeMap<>());
        Map.Entry<Long, List<String>> expected = states.floorEntry(end);
        assertThat(found)
            .as("object %s, journal ends at %s, %s", number, end, when)
            .isEqualTo(expected == null ? List.of() : expected.getValue());
        List<String> check = select(machine.backend.store(key), "PRAGMA quick_check");
        assertThat(check).as(when).containsExactly("ok");
      }
      assertThat(end).as(when).isGreaterThanOrEqualTo(acknowledged);
      requireListed(machine, end, when);
    }
  }

  /** The catalog has every object that holds something, and none that never did. */
  private void requireListed(Machine machine, long end, String when) {
    List<ObjectId> listed = machine.backend.catalog().objects(ALL_OBJECTS);
    for (int number = 0; number < OBJECTS; number++) {
      ObjectKey key = object(number);
      NavigableMap<Long, List<String>> states = history.getOrDefault(key, new TreeMap<>());
      if (states.floorEntry(end) == null) {
        assertThat(listed).as(when).doesNotContain(key.id());
      } else if (!states.floorEntry(end).getValue().isEmpty()) {
        assertThat(listed).as(when).contains(key.id());
      }
    }
  }

  private void run(Disk disk, Path root, Program program) {
    try (Machine machine = new Machine(root, disk)) {
      program.run(machine);
    } catch (HoldfastException | IOException e) {
      // The power is off; what was done before counts.
      assertThat(disk).isInstanceOf(PowerLossDisk.class);
    }
  }

  private void program(Machine machine) {
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("1")));
    write(machine, 1, turn -> turn.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", none()));
    acknowledge(machine);
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("2")));
    write(machine, 1, turn -> insert(turn, 60, 200));
    write(machine, 2, turn -> turn.put(bytes("large"), new byte[50_000]));
    machine.backend.checkpointBefore(Long.MAX_VALUE);
    write(machine, 0, turn -> turn.put(bytes("b"), bytes("3")));
    machine.backend.awaitIdle();
    acknowledge(machine);
    write(machine, 1, turn -> turn.exec("UPDATE t SET v = v || 'x' WHERE id % 7 = 0", none()));
    write(machine, 3, turn -> turn.put(bytes("c"), bytes("4")));
    write(machine, 2, StoreTurn::deleteAll);
    write(machine, 2, turn -> turn.put(bytes("after"), bytes("5")));
    discard(machine, 1);
    write(machine, 1, turn -> turn.exec("DELETE FROM t WHERE id > 20", none()));
    machine.backend.checkpointBefore(Long.MAX_VALUE);
    machine.backend.awaitIdle();
    write(machine, 3, turn -> turn.put(bytes("c"), bytes("6")));
    acknowledge(machine);
    write(machine, 0, turn -> turn.put(bytes("a"), bytes("7")));
  }

  private static Object[] none() {
    return new Object[0];
  }

  private static void insert(StoreTurn turn, int rowCount, int rowBytes) {
    for (int row = 0; row < rowCount; row++) {
      turn.exec("INSERT INTO t (v) VALUES (?)", new Object[] {row + "-".repeat(rowBytes)});
    }
  }

  private void write(Machine machine, int number, Consumer<StoreTurn> work) {
    ObjectStore store = machine.backend.store(object(number));
    NavigableMap<Long, List<String>> states =
        history.computeIfAbsent(object(number), _ -> new TreeMap<>());
    StoreTurn turn = store.beginTurn();
    work.accept(turn);
    List<String> after = contents(turn);
    states.put(turn.seal(), after);
    store.release();
  }

  private static void discard(Machine machine, int number) {
    StoreTurn turn = machine.backend.store(object(number)).beginTurn();
    insert(turn, 100, 8_000);
    turn.discard();
  }

  private void acknowledge(Machine machine) {
    long position = machine.journal.lastPosition();
    machine.journal.awaitDurable(position);
    acknowledged = Math.max(acknowledged, position);
  }

  private Path newDirectory() {
    directories++;
    return lastDirectory();
  }

  private Path lastDirectory() {
    Path directory = temporary.resolve("data-" + directories);
    directory.toFile().mkdirs();
    return directory;
  }

  private interface Program {
    void run(Machine machine) throws IOException;
  }

  /** A process: journal and backend over one directory, with room for few open databases. */
  private final class Machine implements AutoCloseable {
    final StorageThreads threads = new StorageThreads(2);
    final FileJournal journal;
    final SqliteBackend backend;

    /** Where the journal ended before recovery appended checkpoints. */
    final long foundPosition;

    Machine(Path root, Disk disk) throws IOException {
      JournalOptions options = JournalOptions.DEFAULT.withDisk(disk).withSegmentBytes(128 << 10);
      journal = FileJournal.open(root.resolve("journal"), new VirtualClock(), options);
      foundPosition = journal.lastPosition();
      backend =
          new SqliteBackend(
              journal,
              threads,
              new VirtualClock(),
              disk,
              new SqliteOptions(root.resolve("sqlite"), 2, null, memoryBytesMax));
      try {
        backend.recover(journal.recoveryLog());
        journal.start(List.of(backend));
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    @Override
    public void close() {
      try (threads) {
        try {
          backend.close();
        } finally {
          Journal closing = journal;
          closing.close();
        }
      }
    }
  }
}
