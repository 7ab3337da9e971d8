package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of three nodes, with real sockets and a real log. */
class ThreeNodesTest {

  /** Counts, and passes on to others. */
  public interface Counter {

    /** Adds to the count, and returns it. */
    long add(long more);

    /** Returns the count. */
    long count();

    /** Adds to this count, and then to that of another object. */
    long addBoth(String other, long more);

    /** Fails with the text. */
    void fail(String text);
  }

  static final class CounterObject implements Counter {

    private final ObjectContext context;

    CounterObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public long add(long more) {
      long count = count() + more;
      context.storage().put("count", count);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }

    @Override
    public long addBoth(String other, long more) {
      add(more);
      return context.namespace(context.namespace(), Counter.class).getByName(other).add(more);
    }

    @Override
    public void fail(String text) {
      throw new IllegalArgumentException(text);
    }
  }

  @TempDir Path directory;
  private ThreeNodes nodes;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Counter.class, CounterObject::new);
    objects.namespace(
        "keys",
        Counter.class,
        CounterObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @BeforeEach
  void start() throws Exception {
    nodes = ThreeNodes.open(directory, ThreeNodesTest::register);
  }

  @AfterEach
  void close() {
    nodes.close();
  }

  private ObjectNamespace<Counter> counters(String node, String namespace) {
    return nodes.get(node).namespace(namespace, Counter.class);
  }

  @Test
  void everyObjectIsReachedFromEveryNode() throws Exception {
    for (String namespace : List.of("sql", "keys")) {
      for (int i = 0; i < 12; i++) {
        String name = "object-" + i;
        assertThat(counters("a", namespace).getByName(name).add(1)).isEqualTo(1);
        assertThat(counters("b", namespace).getByName(name).add(1)).isEqualTo(2);
        CompletableFuture<Long> third = counters("c", namespace).stub(name).async(o -> o.add(1));
        assertThat(third.get()).isEqualTo(3);
      }
    }
    assertThat(counters("a", "sql").getByName("object-0").addBoth("object-1", 10)).isEqualTo(13);
    assertThat(counters("a", "sql").getByName("object-1").addBoth("object-2", 10)).isEqualTo(13);
    assertThat(counters("b", "sql").getByName("object-0").count()).isEqualTo(13);
    for (String node : List.of("a", "b", "c")) {
      assertThatThrownBy(() -> counters(node, "sql").getByName("object-3").fail("why"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("why");
    }
  }

  @Test
  void acknowledgedWritesSurviveTheLossOfAnOwner() throws Exception {
    Map<String, Long> acknowledged = new TreeMap<>();
    for (int i = 0; i < 20; i++) {
      acknowledged.put("o" + i, counters("b", "sql").getByName("o" + i).add(i + 1));
    }
    String owner = nodes.get("a").shards().getFirst().owner();
    nodes.closeNode(owner);
    String other = nodes.names().getFirst();
    acknowledged.forEach(
        (name, count) ->
            assertThat(counters(other, "sql").getByName(name).count()).isEqualTo(count));
    nodes.openNode(owner);
    nodes.awaitReady();
    acknowledged.forEach(
        (name, count) ->
            assertThat(counters(owner, "sql").getByName(name).add(1)).isEqualTo(count + 1));
  }

  @Test
  void directoryOfAnotherNodeIsRefused() {
    nodes.closeNode("c");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    nodes.directoryOf("c"), nodes.options("other", "c"), ThreeNodesTest::register))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("cluster test, and is opened for other");
  }

  @Test
  void callsSayThatNobodyTookThemWithoutAMajority() {
    List.of("a", "b", "c").forEach(nodes::closeNode);
    nodes.openNode("a", options -> options.withRouteTimeout(Duration.ofMillis(300)));
    assertThatThrownBy(() -> counters("a", "sql").getByName("x").add(1))
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            thrown ->
                assertThat(thrown.delivery())
                    .isEqualTo(ObjectUnavailableException.Delivery.NOT_DELIVERED));
  }
}
