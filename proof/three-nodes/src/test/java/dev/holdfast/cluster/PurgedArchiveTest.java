package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.faults.Polling;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.spi.verify.Severity;
import dev.holdfast.verify.Verification;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is purged from the archive of a cluster is in no entry of it, and nobody brings it back:
 * also not an owner that was deposed and does not know it.
 */
final class PurgedArchiveTest {

  /** No text that compresses well. */
  private static final String SECRET = "Zq7-archived-4Xw9";

  private static final List<String> NAMESPACES = List.of("files", "pairs");

  /** Small files of the log, which are full soon. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT.withLog(2 << 20, 8 << 20);

  /** Holds the next chunk that is added, as a network does that is slow for one machine. */
  private static final class SlowStore implements ArchiveStore {

    private final ArchiveStore store;
    private @Nullable CountDownLatch next;
    private final CountDownLatch held = new CountDownLatch(1);

    SlowStore(ArchiveStore store) {
      this.store = store;
    }

    synchronized void holdNext(CountDownLatch until) {
      next = until;
    }

    private synchronized @Nullable CountDownLatch taken(String name) {
      CountDownLatch taken = name.endsWith(".chunk") ? next : null;
      next = taken == null ? next : null;
      return taken;
    }

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      CountDownLatch until = taken(name);
      if (until != null) {
        held.countDown();
        awaitUninterruptibly(until); // as a write to NFS does
      }
      return store.putIfAbsent(name, content);
    }

    private static void awaitUninterruptibly(CountDownLatch until) {
      boolean isInterrupted = false;
      while (until.getCount() > 0) {
        try {
          until.await();
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public @Nullable InputStream open(String name) throws IOException {
      return store.open(name);
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
      return store.list(prefix, after, limit);
    }

    @Override
    public void delete(String name) throws IOException {
      store.delete(name);
    }

    @Override
    public void deleteUnfinished(String prefix) throws IOException {
      store.deleteUnfinished(prefix);
    }

    @Override
    public String toString() {
      return store.toString();
    }
  }

  @TempDir private Path directory;
  private SlowStore store = new SlowStore(new DirectoryArchive(Path.of("unused")));
  private ArchiveOptions archive = ArchiveOptions.to(store);

  @BeforeEach
  void nameThePlace() {
    store = new SlowStore(new DirectoryArchive(place()));
    archive = ArchiveOptions.to(store).withInterval(Duration.ofMillis(20)).withBaseBytes(64 << 10);
  }

  private Path place() {
    return directory.resolve("archive");
  }

  private void register(ObjectRegistrar objects) {
    objects.options(RuntimeOptions.DEFAULT.withArchive(archive).withOperatorSocket());
    Texts.register(objects);
  }

  private ThreeNodes open(int shards) throws Exception {
    ThreeNodes nodes = ThreeNodes.open(directory, shards, this::register, SMALL);
    for (int shard = 0; shard < shards; shard++) {
      nodes.move(shard, "a");
    }
    nodes.awaitReady();
    return nodes;
  }

  private static Texts texts(ClusterRuntime node, String namespace, String name) {
    return node.namespace(namespace, Texts.class).getByName(name);
  }

  private static void fill(ThreeNodes nodes, String node) {
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < 5; i++) {
        texts(nodes.get(node), namespace, "old" + i % 2).put("key", SECRET.repeat(1_000) + i);
        texts(nodes.get(node), namespace, "other").put("key" + i, "stays" + i);
      }
      texts(nodes.get(node), namespace, "old0").put("key", "new");
      texts(nodes.get(node), namespace, "old1").put("key", "new");
    }
  }

  private static void purgeHistory(ThreeNodes nodes, String node) {
    Stream<CompletableFuture<Void>> purges =
        NAMESPACES.stream()
            .flatMap(
                namespace ->
                    Stream.of("old0", "old1")
                        .map(
                            name ->
                                nodes
                                    .get(node)
                                    .admin()
                                    .purgeHistory(
                                        namespace,
                                        nodes
                                            .get(node)
                                            .namespace(namespace, Texts.class)
                                            .idFromName(name))));
    purges.toList().forEach(CompletableFuture::join);
  }

  private List<Path> withSecret() throws IOException {
    try (Stream<Path> files = Files.walk(place())) {
      return files.filter(Files::isRegularFile).filter(PurgedArchiveTest::hasSecret).toList();
    } catch (UncheckedIOException e) {
      return withSecret(); // a file was deleted meanwhile
    }
  }

  private static boolean hasSecret(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitArchived(ClusterRuntime node) {
    while (node.statistics().archive().lagNanos() > 0) {
      Polling.pause();
    }
  }

  private static void assertState(ClusterRuntime node) {
    for (String namespace : NAMESPACES) {
      assertThat(texts(node, namespace, "old0").get("key")).isEqualTo("new");
      assertThat(texts(node, namespace, "old1").get("key")).isEqualTo("new");
      assertThat(texts(node, namespace, "other").get("key4")).isEqualTo("stays4");
    }
  }

  private void assertRestored(ClusterOptions alone) throws Exception {
    ClusterHoldfast.restore(
        new DirectoryArchive(place()),
        directory.resolve("restored"),
        alone,
        RestoreRequest.of(new RestoreTarget.Latest()));
    try (ClusterRuntime node =
        ClusterHoldfast.open(directory.resolve("restored"), alone, Texts::register)) {
      node.awaitReady(Duration.ofMinutes(1));
      assertState(node);
    }
  }

  @Test
  void bytesThatWerePurgedAreInNoEntryAndTheStateIsRestored() throws Exception {
    ClusterOptions alone;
    try (ThreeNodes nodes = open(2)) {
      alone = nodes.alone();
      fill(nodes, "b");
      awaitArchived(nodes.get("a"));
      nodes.move(0, "b");
      nodes.awaitReady();
      fill(nodes, "c");
      awaitArchived(nodes.get("a"));
      awaitArchived(nodes.get("b"));
      assertThat(withSecret()).isNotEmpty();
      // Of a process that was killed while it added the chunk.
      Path journal =
          Files.createDirectories(place().resolve("shards/0000/journal/0000000000000001"));
      Files.writeString(journal.resolve("0000000000000001.chunk~0"), SECRET);

      purgeHistory(nodes, "c");
      List<Map<String, @Nullable Object>> answers = new ArrayList<>();
      OperatorConnection.find(nodes.directoryOf("c"))
          .orElseThrow()
          .perform(OperatorRequest.of("archive-purge"), answers::add);
      assertThat(answers).singleElement().asInstanceOf(MAP).containsKey("firstPosition");

      assertThat(withSecret()).isEmpty();
      assertState(nodes.get("b"));
      texts(nodes.get("c"), "files", "other").put("later", "too");
      nodes.move(0, "c");
      nodes.awaitReady();
      assertThat(withSecret()).isEmpty();
    }
    assertThat(withSecret()).isEmpty();
    for (int shard = 0; shard < 2; shard++) {
      assertThat(
              Verification.run(place().resolve("shards/000" + shard), directory, false).findings())
          .noneMatch(each -> each.severity() == Severity.ERROR);
    }
    assertRestored(alone);
  }

  @Test
  void ownerThatWasDeposedAndAddsLateHoldsThePurgeWhichTheNextOnesGoOnWith() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    try (ThreeNodes nodes = open(1)) {
      awaitArchived(nodes.get("a"));
      store.holdNext(late);
      fill(nodes, "b");
      store.held.await();
      nodes.move(0, "b");
      nodes.awaitReady();
      purgeHistory(nodes, "c");
      CompletableFuture<Long> purge = nodes.get("c").admin().purgeArchive();
      awaitArchived(nodes.get("b"));
      nodes.closeNode("b");
      nodes.openNode("b", SMALL);
      nodes.awaitReady();
      assertThat(purge).isNotDone();

      late.countDown();
      purge.join();

      assertThat(withSecret()).isEmpty();
    } finally {
      late.countDown();
    }
    assertThat(withSecret()).isEmpty();
  }

  @Test
  void memberThatIsAwayHoldsThePurgeAndTheNextOwnerGoesOn() throws Exception {
    try (ThreeNodes nodes = open(1)) {
      fill(nodes, "b");
      awaitArchived(nodes.get("a"));
      purgeHistory(nodes, "b");
      nodes.closeNode("c");
      CompletableFuture<Long> purge = nodes.get("b").admin().purgeArchive();
      nodes.move(0, "b");
      nodes.awaitReady();
      awaitArchived(nodes.get("b"));
      assertThat(purge).isNotDone();
      assertThat(withSecret()).isNotEmpty();

      nodes.openNode("c", SMALL);
      nodes.awaitReady();
      purge.join();

      assertThat(withSecret()).isEmpty();
      assertState(nodes.get("c"));
    }
    assertThat(withSecret()).isEmpty();
  }

  @Test
  void clusterWithoutAnArchiveSaysSo() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, Texts::register, SMALL)) {
      CompletableFuture<Long> purge = nodes.get("b").admin().purgeArchive();
      assertThatThrownBy(purge::join).hasCauseInstanceOf(IllegalStateException.class);
    }
  }
}
