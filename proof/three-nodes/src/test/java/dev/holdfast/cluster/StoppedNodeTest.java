package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.verify.Verification;
import dev.holdfast.verify.VerifyReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a node that does not run is checked, looked into and backed up. */
final class StoppedNodeTest {

  private static final int SHARDS = 3;

  /** A round after 64 KiB, or long after this test. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT.withRounds(new Rounds.Limits(64 << 10, Long.MAX_VALUE / 128));

  /** Keeps a text. */
  public interface Page {

    /** Replaces the text. */
    long write(byte[] text);

    /** Returns how often it was replaced. */
    long count();
  }

  record PageObject(ObjectContext context) implements Page {

    @Override
    public long write(byte[] text) {
      long count = count() + 1;
      context.storage().put("text", text);
      context.storage().put("count", count);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }
  }

  @TempDir private Path directory;

  private final Random random = new Random(1);
  private final Map<String, Long> written = new TreeMap<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Page.class, PageObject::new);
    objects.namespace(
        "keys",
        Page.class,
        PageObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private void write(ClusterRuntime node, int times) {
    for (int time = 0; time < times; time++) {
      for (String namespace : List.of("sql", "keys")) {
        for (int i = 0; i < 6; i++) {
          byte[] text = new byte[3000];
          random.nextBytes(text);
          Page page = node.namespace(namespace, Page.class).getByName("p" + i);
          String key = namespace + "/p" + i;
          long before = written.getOrDefault(key, 0L);
          written.put(key, ThreeNodes.addedOnce(() -> page.write(text), page::count, before));
        }
      }
    }
  }

  /**
   * What a kill at a moment leaves: a copy of the directory while nothing in it changes. All that
   * was written is there.
   */
  private Path killed(ThreeNodes nodes, String name) throws IOException {
    Path copy = directory.resolve("killed-" + name);
    Path from = nodes.directoryOf(name);
    Map<Path, String> before;
    do {
      deleteAll(copy);
      before = states(from);
    } while (before.isEmpty() || !isCopied(from, copy) || !states(from).equals(before));
    return copy;
  }

  private static boolean isCopied(Path from, Path copy) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Path to = copy.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(to);
        } else if (Files.isRegularFile(each) && !each.endsWith("LOCK")) {
          Files.copy(each, to);
        }
      }
      return true;
    } catch (NoSuchFileException | UncheckedIOException e) {
      return false; // a file was replaced meanwhile
    }
  }

  /** {@return size and time of each file; empty if they are not those of one moment} */
  private static Map<Path, String> states(Path parent) throws IOException {
    Map<Path, String> states = new TreeMap<>();
    try (Stream<Path> all = Files.walk(parent)) {
      for (Path each : all.toList()) {
        states.put(each, Files.size(each) + " " + Files.getLastModifiedTime(each));
      }
    } catch (NoSuchFileException | UncheckedIOException e) {
      return Map.of(); // they change just now
    }
    return states;
  }

  private static void deleteAll(Path path) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  private VerifyReport verify(Path data) throws IOException {
    return Verification.run(data, directory, /* isDeep= */ true);
  }

  private void assertSound(Path data) throws IOException {
    VerifyReport report = verify(data);
    assertThat(report.findings()).as("%s", data).isEmpty();
    assertThat(report.shards()).hasSize(SHARDS);
    assertThat(report.lastPosition()).isPositive();
  }

  private void assertHasAll(Path data) {
    try (StoppedNode stopped = StoppedNode.read(data)) {
      List<Map<String, @Nullable Object>> objects = new ArrayList<>();
      stopped.operations().perform(OperatorRequest.of("objects"), objects::add);
      assertThat(objects).hasSize(written.size());
      assertThat(objects.stream().map(each -> each.get("shard")).distinct().count())
          .isGreaterThan(1);
      written.forEach(
          (key, count) -> {
            List<Map<String, @Nullable Object>> found = new ArrayList<>();
            stopped
                .operations()
                .perform(
                    OperatorRequest.of("get")
                        .with("namespace", key.substring(0, key.indexOf('/')))
                        .with("object", key.substring(key.indexOf('/') + 1))
                        .with("key", "count"),
                    found::add);
            byte[] stored = (byte[]) Objects.requireNonNull(found.getFirst().get("value"));
            assertThat(StructuredClone.standard().decode(stored, Long.class))
                .as(key)
                .isEqualTo(count);
          });
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void nodeThatWasOwnerAndFollowerIsSoundAndDamageIsFound() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, SHARDS, StoppedNodeTest::register, SMALL)) {
      for (int shard = 0; shard < SHARDS; shard++) {
        nodes.move(shard, "a");
      }
      nodes.awaitReady();
      write(nodes.get("a"), 10);
      nodes.move(0, "b");
      nodes.move(1, "c");
      nodes.awaitReady();
      write(nodes.get("a"), 10);

      assertThatThrownBy(() -> verify(nodes.directoryOf("a")))
          .isInstanceOf(DirectoryInUseException.class);
      nodes.awaitAllAlike();
      for (String name : List.of("a", "b", "c")) {
        assertSound(killed(nodes, name));
        assertHasAll(directory.resolve("killed-" + name));
      }
      WeakReference<ClusterRuntime> closed = new WeakReference<>(nodes.get("a"));
      for (String name : List.of("a", "b")) {
        nodes.closeNode(name);
        assertSound(nodes.directoryOf(name));
      }
      assertForgotten(closed);
      assertHasAll(nodes.directoryOf("a"));
    }
    damageIsFound();
    backupBecomesAClusterOfOne();
  }

  /** An application that opens and closes nodes does not run out of memory. */
  private static void assertForgotten(WeakReference<?> closed) {
    for (int collection = 0; collection < 20 && !closed.refersTo(null); collection++) {
      System.gc(); // what ended threads and their tasks keep goes with a later one
    }
    assertThat(closed.refersTo(null)).isTrue();
  }

  private void damageIsFound() throws IOException {
    Path data = directory.resolve("a");
    Path shard = data.resolve("shards/0000");
    List<Path> segments = filesOf(shard.resolve("journal"), ".log");
    List<Path> objects = filesOf(shard.resolve("sqlite"), ".sqlite");
    List<Path> tables = filesOf(shard.resolve("rocksdb"), ".sst");
    assertThat(objects).isNotEmpty();
    assertThat(tables).isNotEmpty();
    for (Path each :
        List.of(segments.getFirst(), objects.getLast(), tables.getLast(), shard.resolve("saved"))) {
      byte[] whole = Files.readAllBytes(each);
      byte[] damaged = whole.clone();
      damaged[Math.min(whole.length / 2, 4096 + 500)] ^= 1;
      Files.write(each, damaged);
      assertFound(data, each);
      Files.delete(each);
      assertFound(data, each);
      Files.write(each, whole);
    }
    assertSound(data);
  }

  private void assertFound(Path data, Path damaged) throws IOException {
    VerifyReport report = verify(data);
    assertThat(report.isSound()).as("%s", damaged).isFalse();
    assertThat(report.findings())
        .extracting(Finding::meaning)
        .allSatisfy(meaning -> assertThat(meaning).startsWith("Shard 0: "));
  }

  private static List<Path> filesOf(Path parent, String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(parent)) {
      return all.filter(each -> each.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private void backupBecomesAClusterOfOne() throws Exception {
    Path backup = directory.resolve("backup");
    assertThat(ClusterHoldfast.backup(directory.resolve("a"), backup).position()).isPositive();
    assertSound(backup);
    assertHasAll(backup);
    ThreeNodes nodes = ThreeNodes.prepare(directory, SHARDS, StoppedNodeTest::register);
    assertThatThrownBy(() -> ClusterHoldfast.open(backup, nodes.alone(), nodes.objects()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is a backup");
    assertThatThrownBy(() -> ClusterHoldfast.backup(directory.resolve("a"), backup))
        .isInstanceOf(DataDirectoryException.class);

    assertThat(ClusterHoldfast.recover(backup, false)).hasSize(SHARDS);
    try (ClusterRuntime alone = ClusterHoldfast.open(backup, nodes.alone(), nodes.objects())) {
      assertThat(alone.awaitReady(Duration.ofMinutes(2))).isTrue();
      for (Map.Entry<String, Long> each : written.entrySet()) {
        int slash = each.getKey().indexOf('/');
        Page page =
            alone
                .namespace(each.getKey().substring(0, slash), Page.class)
                .getByName(each.getKey().substring(slash + 1));
        assertThat(ThreeNodes.known(page::count)).isEqualTo(each.getValue());
      }
    }
  }
}
