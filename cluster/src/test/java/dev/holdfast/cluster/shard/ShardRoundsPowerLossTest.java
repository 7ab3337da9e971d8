package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of a node before each step of a round and of a take-over, on a disk that tears
 * pages. The pages of the objects were whole in the journal only before an earlier round of the
 * node: their owner has never saved them.
 */
class ShardRoundsPowerLossTest {

  private static final long ALL = Long.MAX_VALUE;
  private static final long SMALL = 5_000;
  private static final int SECTOR_BYTES = 512;
  private static final int OBJECTS = 2;
  private static final int KEYS = 12;

  /** Kept: the log manager drops unreferenced loggers, and each cut is reported. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir Path directory;
  private final Map<String, TreeMap<String, String>> model = new TreeMap<>();
  private LocalShard shard;
  private int nodes;

  @BeforeAll
  static void silenceWantedFailures() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void reportAgain() {
    LOG.setLevel(null);
  }

  @BeforeEach
  void start() throws InterruptedException {
    shard =
        new LocalShard(
            directory, objects -> objects.namespace("boxes", Box.class, Box.OnStorage::new));
    ObjectRuntime owner = shard.own("a");
    shard.stop("c");
    for (int key = 0; key < KEYS; key++) {
      for (int object = 0; object < OBJECTS; object++) {
        put(owner, "x" + object, "key" + key, "first ".repeat(200));
      }
    }
    shard.follow("b", ALL);
    for (int key = 0; key < KEYS; key++) {
      for (int object = 0; object < OBJECTS; object++) {
        put(owner, "x" + object, "key" + key, "later ".repeat(200));
      }
    }
    put(owner, "new", "key", "value");
    shard.stop("b");
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private void put(ObjectRuntime owner, String object, String key, String text) {
    boxes(owner).getByName(object).put(key, text);
    model.computeIfAbsent(object, _ -> new TreeMap<>()).put(key, text);
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime) {
    return runtime.namespace("boxes", Box.class);
  }

  /** What a node does until its power is cut. */
  private interface Program {
    void run(String node) throws InterruptedException;
  }

  @Test
  void everyStepOfARoundMayBeTheLast() throws Exception {
    cutAtEveryStep(node -> shard.follow(node, ALL));
  }

  @Test
  void everyStepOfATakeOverMayBeTheLast() throws Exception {
    cutAtEveryStep(node -> shard.own(node).close());
  }

  private void cutAtEveryStep(Program program) throws Exception {
    long steps = stepsUntil(Long.MAX_VALUE, program, 0);
    assertThat(steps).isGreaterThan(OBJECTS);
    for (long step = 0; step <= steps; step++) {
      stepsUntil(step, program, step);
    }
  }

  /**
   * Runs a program on a copy of the node until the power is cut, then again on what is left, and
   * compares. Each copy has a name of its own: to the log it is a node that was never seen before.
   */
  private long stepsUntil(long cut, Program program, long seed) throws Exception {
    String node = "n" + nodes++;
    Path files = directory.resolve(node);
    copy(directory.resolve("b"), files);
    PowerLossDisk disk = new PowerLossDisk(files, SECTOR_BYTES);
    shard.start(node, files, disk);
    shard.awaitApplied(node, "a");
    long before = disk.steps();
    if (cut < Long.MAX_VALUE) {
      disk.cutPowerAfter(before + cut);
    }
    try {
      program.run(node);
    } catch (RuntimeException e) {
      assertThat(cut).as("without a cut").isLessThan(Long.MAX_VALUE);
    }
    long steps = disk.steps() - before;
    String last = disk.lastStep();
    disk.cutPowerAfter(disk.steps());
    shard.stopPowerless(node);
    Path image = Files.createDirectory(directory.resolve(node + "-image"));
    disk.writeCrashImage(image, seed);
    shard.start(node, image, new FileDisk());
    shard.awaitApplied(node, "a");
    if (seed % 3 == 0) {
      shard.follow(node, ALL);
    }
    while (seed % 3 == 1 && shard.follow(node, SMALL)) {
      assertThat(shard.failure(node)).isNull();
    }
    ObjectRuntime owner = shard.own(node);
    model.forEach(
        (object, pairs) ->
            assertThat(boxes(owner).getByName(object).all())
                .as("cut after step %s, %s, of %s", cut, last, node)
                .isEqualTo(pairs));
    shard.stop(node);
    return steps;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> found = Files.walk(from)) {
      for (Path each : found.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }
}
