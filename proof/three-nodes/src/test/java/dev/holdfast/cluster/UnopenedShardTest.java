package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A node that cannot open a shard, for example for want of RocksDB's library, passes it on. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class UnopenedShardTest {

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace(
        "keys",
        Counter.class,
        Counter.CounterObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @Test
  void shardGoesToANodeThatCanOpenIt() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, UnopenedShardTest::register)) {
      nodes.move(0, "b");
      nodes.awaitReady();
      Counter counter = nodes.get("b").namespace("keys", Counter.class).getByName("x");
      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 0)).isOne();
      nodes.closeNode("a");
      Path database = nodes.directoryOf("a").resolve("shards/0000/rocksdb");
      deleteAll(database);
      Files.writeString(database, "not a directory");
      nodes.openNode("a");
      assertThat(nodes.get("a").health().reasons())
          .extracting(HealthReason::code)
          .doesNotContain(HealthReason.SHARD_NOT_OPENED);

      try {
        nodes.get("b").transfer(0, "a");
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(ClusterException.Reason.NOT_MOVED);
      }
      while (nodes.get("a").health().reasons().stream()
          .noneMatch(each -> each.code().equals(HealthReason.SHARD_NOT_OPENED))) {
        Polling.pause();
      }

      // Another node takes it, though this one leads.
      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 1)).isEqualTo(2);
      ShardStatus status = nodes.get("a").shards().getFirst();
      while (status.owner() == null) { // its own copy may be behind the one that answered
        Polling.pause();
        status = nodes.get("a").shards().getFirst();
      }
      assertThat(status.owner()).isIn("b", "c");
      assertThat(status.failure()).isNotNull().contains("rocksdb");
    }
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
}
