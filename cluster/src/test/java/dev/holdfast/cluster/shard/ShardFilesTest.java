package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes whose copies need records that nobody has any more take files of the owner's objects. */
class ShardFilesTest {

  private static final long ALL = Long.MAX_VALUE;

  /** Where the power is cut while files are fetched. */
  private static final int CUTS = "long".equals(System.getProperty("holdfast.tests")) ? 12 : 3;

  @TempDir Path directory;
  private LocalShard shard;
  private final Map<String, TreeMap<String, String>> model = new TreeMap<>();

  @BeforeEach
  void start() {
    shard = new LocalShard(directory, ShardFilesTest::register);
  }

  private static void register(ObjectRegistrar objects) {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      objects.namespace(
          kind.name(),
          Box.class,
          Box.OnStorage::new,
          NamespaceOptions.DEFAULT.withStorage(kind).withRecoveryWindow(Duration.ofDays(1)));
    }
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(kind.name(), Box.class);
  }

  private void put(ObjectRuntime owner, String object, String key, String text) {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      boxes(owner, kind).getByName(object).put(key, text);
    }
    model.computeIfAbsent(object, _ -> new TreeMap<>()).put(key, text);
  }

  /** Writes until the files of the owner do not need the first segments any more. */
  private void writeMuch(ObjectRuntime owner, String node) {
    long before = shard.lowWaterMark(node);
    for (int i = 0; i < 60 || shard.lowWaterMark(node) < before + 30; i++) {
      put(owner, "x" + i % 5, "key" + i % 40, ("text " + i + " ").repeat(2000));
    }
  }

  private void check(ObjectRuntime runtime) {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      model.forEach(
          (object, pairs) ->
              assertThat(boxes(runtime, kind).getByName(object).all()).as(object).isEqualTo(pairs));
    }
  }

  private static String bookmark(ObjectRuntime runtime, StorageKind kind, String object) {
    return runtime
        .recovery(kind.name(), boxes(runtime, kind).idFromName(object))
        .history(1)
        .entries()
        .getFirst()
        .bookmark();
  }

  @Test
  void nodeWithoutFilesGetsThoseOfTheOwner() throws InterruptedException {
    ObjectRuntime owner = shard.own("a");
    put(owner, "x1", "key", "early");
    Map<StorageKind, String> early = new LinkedHashMap<>();
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      early.put(kind, bookmark(owner, kind, "x1"));
    }
    writeMuch(owner, "a");
    assertThat(shard.dropBeginning("a")).isGreaterThan(1);
    put(owner, "x1", "key", "later");
    Map<StorageKind, String> later = new LinkedHashMap<>();
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      later.put(kind, bookmark(owner, kind, "x1"));
    }
    put(owner, "x1", "key", "last");
    shard.follow("b", ALL); // a second replica that has everything durably
    Runnable image = shard.awaitImage("a");
    assertThat(shard.copiedFrom("a")).isLessThanOrEqualTo(shard.lastPosition("a"));
    put(owner, "new", "key", "after the image");
    shard.drop();
    shard.replace("c", "fresh");
    shard.awaitApplied("c", "a");
    assertThat(shard.failure("c")).isNull();
    image.run();
    assertThat(directory.resolve("a/outgoing")).doesNotExist();
    assertThat(directory.resolve("fresh/fetched")).doesNotExist();
    assertThat(shard.lowWaterMark("c")).isGreaterThan(1);
    assertThat(Files.exists(directory.resolve("fresh/sqlite/catalog.sqlite"))).isTrue();
    assertThat(shard.follow("c", ALL)).isTrue();
    put(owner, "x2", "key", "behind it");

    ObjectRuntime next = shard.own("c");

    check(next);
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      String undo =
          next.admin()
              .restoreNow(
                  kind.name(),
                  boxes(next, kind).idFromName("x1"),
                  Objects.requireNonNull(later.get(kind)));
      assertThat(boxes(next, kind).getByName("x1").all()).containsEntry("key", "later");
      next.admin().restoreNow(kind.name(), boxes(next, kind).idFromName("x1"), undo);
      assertThatThrownBy(
              () ->
                  next.admin()
                      .restoreNow(
                          kind.name(),
                          boxes(next, kind).idFromName("x1"),
                          Objects.requireNonNull(early.get(kind))))
          .isInstanceOfSatisfying(
              BookmarkException.class,
              e -> assertThat(e.reason()).isEqualTo(BookmarkException.Reason.NOT_KEPT));
    }
    check(next);
    shard.stop("c");
    shard.start("c");
    check(shard.own("c"));
  }

  /**
   * Cuts the power of a node that has old files before some steps of fetching and placing new ones,
   * and lets another run of it go on.
   */
  @Test
  void nodeThatLosesPowerGetsTheFilesLater() throws Exception {
    ObjectRuntime owner = shard.own("a");
    writeMuch(owner, "a");
    assertThat(shard.follow("c", ALL)).isTrue();
    shard.stop("c");
    writeMuch(owner, "a");
    writeMuch(owner, "a");
    shard.dropBeginning("a");
    shard.follow("b", ALL);
    Logger log = Logger.getLogger("dev.holdfast");
    log.setLevel(Level.OFF); // each cut is reported
    try {
      long steps = fetchWithCut(Long.MAX_VALUE, 0);
      assertThat(steps).isGreaterThan(60);
      for (long cut = 1; cut < steps; cut += 1 + steps / CUTS) {
        fetchWithCut(cut, cut);
      }
    } finally {
      log.setLevel(null);
    }
  }

  private long fetchWithCut(long cut, long seed) throws Exception {
    ObjectRuntime owner = shard.own("a");
    Runnable image = shard.awaitImage("a");
    shard.drop();
    String node = "n" + seed; // to the log it is a node that was never seen before
    Path files = directory.resolve(node);
    copy(directory.resolve("c"), files);
    PowerLossDisk disk = new PowerLossDisk(files);
    if (cut < Long.MAX_VALUE) {
      disk.cutPowerAfter(cut);
    }
    boolean isStarted = false;
    try {
      shard.start(node, files, disk);
      isStarted = true;
      shard.awaitAppliedOrFailed(node, "a");
    } catch (DataDirectoryException e) {
      assertThat(e).hasStackTraceContaining("The power is off");
    }
    long steps = disk.steps();
    disk.cutPowerAfter(steps);
    if (isStarted) {
      shard.stopPowerless(node);
    }
    Path left = Files.createDirectory(directory.resolve(node + "-left"));
    disk.writeCrashImage(left, seed);
    shard.start(node, left, new FileDisk());
    shard.awaitAppliedOrFailed(node, "a");
    assertThat(shard.failure(node)).isNull();
    image.run();
    put(owner, "x2", "key " + seed, "behind it");
    shard.awaitApplied(node, "a");
    check(shard.own(node));
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

  /** Its files, and segments of its own, are older than all that others have. */
  @Test
  void filesOfANodeThatWasAwayAreReplaced() throws InterruptedException {
    ObjectRuntime owner = shard.own("a");
    writeMuch(owner, "a");
    assertThat(shard.follow("c", ALL)).isTrue();
    shard.stop("c");
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      owner.admin().delete(kind.name(), boxes(owner, kind).idFromName("x3"));
    }
    model.remove("x3");
    writeMuch(owner, "a");
    writeMuch(owner, "a");
    shard.dropBeginning("a");
    shard.follow("b", ALL);
    Runnable image = shard.awaitImage("a");
    shard.drop();
    // A round that is under way ends before: until then its files are as they were.
    Path placing = directory.resolve("c/fetched/placing");
    AtomicInteger placed = new AtomicInteger();
    shard.beforePlacing(() -> placed.addAndGet(Files.exists(placing) ? 100 : 1));
    shard.start("c");
    shard.awaitApplied("c", "a");
    assertThat(placed).hasValue(1);
    image.run();
    put(owner, "x1", "key", "behind it");
    shard.awaitApplied("c", "a");
    assertThat(shard.follow("c", ALL)).isTrue();

    check(shard.own("c"));

    assertThat(shard.fetches()).isPositive();
    check(shard.own("b"));
    check(shard.own("c"));
  }
}
