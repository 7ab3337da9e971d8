package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.shard.KeptShard;
import dev.holdfast.faults.Polling;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that do not own a shard bring the files of its objects forward. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class FollowingNodesTest {

  /** A round after 256 KiB, or long after this test. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT.withRounds(new Rounds.Limits(256 << 10, Long.MAX_VALUE / 128));

  /** Keeps texts. */
  public interface Box {

    /** Stores a text. */
    void put(String key, String text);

    /** Returns all pairs. */
    TreeMap<String, String> all();
  }

  record BoxObject(ObjectContext context) implements Box {

    @Override
    public void put(String key, String text) {
      context.storage().put(key, text);
    }

    @Override
    public TreeMap<String, String> all() {
      return new TreeMap<>(context.storage().list(String.class));
    }
  }

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Box.class, BoxObject::new);
    objects.namespace(
        "keys",
        Box.class,
        BoxObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @Test
  void lowWaterMarkOfAFollowerRisesAndAFailoverRedoesLittle() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, FollowingNodesTest::register, SMALL)) {
      nodes.move(0, "a");
      nodes.awaitReady();
      TreeMap<String, String> expected = new TreeMap<>();
      for (int i = 0; i < 200; i++) {
        String text = "text ".repeat(1000) + i;
        for (String namespace : List.of("sql", "keys")) {
          nodes.get("a").namespace(namespace, Box.class).getByName("x").put("k" + i % 20, text);
        }
        expected.put("k" + i % 20, text);
      }
      KeptShard follower = ((ClusterNode) nodes.get("b")).kept(0);
      long written = nodes.get("a").shards().getFirst().lastPosition();
      while (follower.lowWaterMark() < written / 2) {
        Polling.pause();
      }

      nodes.move(0, "b");
      nodes.awaitReady();

      assertThat(nodes.get("b").statistics().recovery().records()).isLessThan(written / 2 + 100);
      for (String namespace : List.of("sql", "keys")) {
        assertThat(nodes.get("c").namespace(namespace, Box.class).getByName("x").all())
            .isEqualTo(expected);
      }
    }
  }
}
