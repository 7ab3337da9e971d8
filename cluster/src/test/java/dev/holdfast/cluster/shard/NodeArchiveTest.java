package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.health.HealthReason;
import dev.holdfast.runtime.NamespaceLookup;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An owner that purges the archive of a shard waits for what earlier owners add to it. */
final class NodeArchiveTest {

  private static final ArchiveContent CONTENT = ArchiveContent.of(new byte[] {1});

  /** The names of what was added. A call waits until the test lets it go on. */
  private static final class Entries implements ArchiveStore {
    private final List<String> names = new ArrayList<>();
    private final Semaphore held = new Semaphore(0);
    private final Semaphore released = new Semaphore(0);

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) {
      if (name.endsWith("/late")) {
        held.release();
        released.acquireUninterruptibly();
      }
      return names.add(name);
    }

    @Override
    public @Nullable InputStream open(String name) {
      return null;
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) {
      return List.of();
    }

    @Override
    public void delete(String name) {
      names.remove(name);
    }

    @Override
    public String toString() {
      return "entries";
    }
  }

  /** The nodes of a cluster; each knows those in a list, and reaches those that are there. */
  private final class Nodes implements NodeArchive.Others {
    private final List<NodeId> known = new ArrayList<>();

    @Override
    public Collection<NodeId> members() {
      return List.copyOf(known);
    }

    @Override
    public boolean endAdditions(NodeId node, int shard, long epoch) {
      asked.merge(node.name(), 1, Integer::sum);
      NodeArchive there = archives.get(node.name());
      if (there == null) {
        throw new ClusterException(Reason.UNREACHABLE, "Node " + node + " is away.", null);
      }
      if (node.name().equals("c")) {
        known.addAll(told);
        told.clear();
      }
      return there.endAdditions(shard, epoch);
    }
  }

  /** Nothing calls an object. */
  private static final class NoNamespaces implements NamespaceLookup {
    @Override
    public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
      throw new IllegalArgumentException(name);
    }
  }

  @TempDir private Path directory;
  private final VirtualClock clock = new VirtualClock();
  private final Entries entries = new Entries();
  private final Map<String, NodeArchive> archives = new TreeMap<>();
  private final Map<String, Integer> asked = new TreeMap<>();
  private final Nodes others = new Nodes();

  /** What node c says of members when it is asked. */
  private final List<NodeId> told = new ArrayList<>();

  private final StorageThreads threads = new StorageThreads(1);
  private @Nullable NodeArchive opened;

  @BeforeEach
  void open() {
    opened = archive("b");
    for (String name : List.of("a", "c")) {
      archives.put(name, archive(name));
      others.known.add(new NodeId(name));
    }
  }

  @AfterEach
  void close() {
    threads.close();
  }

  private NodeArchive archive(String name) {
    Path data = directory.resolve(name);
    assertThat(data.toFile().mkdir()).isTrue();
    NodeFile file =
        NodeFile.open(
            new FileDisk(), data, "shop", new NodeId(name), 2, /* isAdded= */ false, new Random(1));
    file.close();
    return new NodeArchive(ArchiveOptions.to(entries), file, others, clock, Runnable::run);
  }

  private ShardRuntime.Archive of(NodeArchive node, int shard) {
    ShardRuntime.Host host =
        node.hostOf(
            shard,
            new ShardRuntime.Host(
                new FileDisk(), clock, threads, new NoNamespaces(), new Random(1)));
    return Objects.requireNonNull(host.archive());
  }

  private NodeArchive owner() {
    return Objects.requireNonNull(opened);
  }

  private NodeArchive node(String name) {
    return Objects.requireNonNull(archives.get(name));
  }

  @Test
  void ownerThatWasDeposedAndAddsLateIsWaitedFor() throws Exception {
    ArchiveStore deposed = of(node("a"), 1).options(5).store();
    Thread adding =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    deposed.putIfAbsent("late", CONTENT);
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                });
    entries.held.acquire();
    CompletableFuture<Void> alone = of(owner(), 1).whenAlone(9);
    clock.advance(Duration.ofMinutes(2));
    assertThat(alone).isNotDone();
    assertThat(owner().troubles())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.code()).isEqualTo(HealthReason.PURGE_WAITS);
              assertThat(each.text()).contains("shard 1", "Node a is in a call of the store");
            });
    assertThatThrownBy(() -> deposed.putIfAbsent("later", CONTENT)).isInstanceOf(IOException.class);
    assertThat(of(owner(), 0).whenAlone(9)).as("of another shard").isCompleted();

    entries.released.release();
    adding.join();
    clock.advance(Duration.ofSeconds(10));

    assertThat(alone).isCompleted();
    assertThat(owner().troubles()).isEmpty();
    assertThat(entries.names).contains("shards/0001/late").doesNotContain("shards/0001/later");
  }

  @Test
  void presentOwnerAndLaterOnesGoOn() throws IOException {
    assertThat(of(owner(), 1).whenAlone(9)).isCompleted();
    assertThat(of(owner(), 1).options(9).store().putIfAbsent("present", CONTENT)).isTrue();
    assertThat(of(node("a"), 1).options(10).store().putIfAbsent("next", CONTENT)).isTrue();
    assertThat(of(node("a"), 0).options(3).store().putIfAbsent("other", CONTENT)).isTrue();
    assertThatThrownBy(() -> of(owner(), 1).options(8).store().putIfAbsent("before", CONTENT))
        .isInstanceOf(IOException.class);
  }

  @Test
  void memberThatIsAwayIsWaitedForUntilItIsBackOrRemoved() {
    archives.remove("c");
    CompletableFuture<Void> first = of(owner(), 0).whenAlone(9);
    CompletableFuture<Void> second = of(owner(), 1).whenAlone(9);
    clock.advance(Duration.ofMinutes(2));
    assertThat(first).isNotDone();
    assertThat(owner().troubles()).hasSize(2).allMatch(each -> each.text().contains("c is away"));
    archives.put("c", archive("back"));
    clock.advance(Duration.ofSeconds(10));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();

    archives.remove("c");
    CompletableFuture<Void> third = of(owner(), 0).whenAlone(9);
    clock.advance(Duration.ofMinutes(2));
    assertThat(third).isNotDone();
    others.known.remove(new NodeId("c"));
    clock.advance(Duration.ofSeconds(10));
    assertThat(third).isCompleted();
  }

  @Test
  void memberThatOnlyAnotherOneKnowsIsAskedToo() {
    told.add(new NodeId("d"));
    CompletableFuture<Void> alone = of(owner(), 0).whenAlone(9);
    assertThat(alone).isNotDone();
    assertThat(asked).containsKey("d");
    archives.put("d", archive("d"));
    clock.advance(Duration.ofSeconds(1));
    assertThat(alone).isCompleted();
  }

  @Test
  void ownerThatWasClosedAsksNobodyAnyMore() {
    archives.remove("c");
    ArchiveStore store = of(owner(), 0).options(9).store();
    CompletableFuture<Void> alone = of(owner(), 0).whenAlone(9);
    clock.advance(Duration.ofSeconds(20));
    store.close();
    asked.clear();
    clock.advance(Duration.ofMinutes(5));
    assertThat(asked).isEmpty();
    assertThat(alone).isNotDone();
    assertThat(owner().troubles()).isEmpty();
  }

  @Test
  void purgeIsBegunOncePerOwnershipAndForgottenWhenItHasEnded() {
    List<CompletableFuture<Long>> begun = new ArrayList<>();
    ArchivePurges purges =
        new ArchivePurges(
            () -> {
              begun.add(new CompletableFuture<>());
              return begun.getLast();
            });
    assertThat(purges.ended(1)).isZero();
    assertThat(purges.ended(1)).isZero();
    assertThat(purges.ended(2)).isZero();
    assertThat(begun).hasSize(2);
    begun.getFirst().complete(7L);
    begun.getLast().completeExceptionally(new IllegalStateException("none"));
    assertThat(purges.ended(1)).isEqualTo(7);
    assertThatThrownBy(() -> purges.ended(2)).hasMessage("none");
    assertThat(purges.ended(1)).isZero();
    assertThat(begun).hasSize(3);
  }
}
