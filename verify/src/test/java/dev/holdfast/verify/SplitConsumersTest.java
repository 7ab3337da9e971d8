package dev.holdfast.verify;

import static dev.holdfast.verify.SplitPages.close;
import static dev.holdfast.verify.SplitPages.id;
import static dev.holdfast.verify.SplitPages.names;
import static dev.holdfast.verify.SplitPages.page;
import static dev.holdfast.verify.SplitPages.poll;
import static dev.holdfast.verify.SplitPages.register;
import static dev.holdfast.verify.SplitPages.sayAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Consumers go on where directories are divided: none misses an event. */
class SplitConsumersTest {

  @TempDir private Path directory;

  private Division division() {
    return new Division(directory);
  }

  /** In one shard a consumer is behind: what it had handled in others after that comes again. */
  @Test
  void consumerMissesNothingWhereShardsComeTogether() throws Exception {
    List<Path> sources = division().named("source", 3);
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    List<String> names = List.of("sql0", "sql1", "sql2", "sql3", "sql4", "sql5", "keys0", "keys1");
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      List<AutoCloseable> consumers =
          parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
      sayAll(parts, names, "early");
      names.forEach(_ -> poll(events));
      close(consumers.removeFirst());
      sayAll(parts, names, "late");
      ObjectRuntime behind = parts.runtimes.getFirst();
      names.stream().filter(name -> parts.of(name) != behind).forEach(_ -> poll(events));
      consumers.forEach(SplitPages::close);
    }
    events.clear();
    List<Path> shards = division().divide(new FileDisk(), Division.asShards(sources), 1);
    try (SplitPages.Parts parts = SplitPages.Parts.open(shards)) {
      List<AutoCloseable> consumers =
          parts.consume(batch -> batch.forEach(event -> events.add(event.value())));
      sayAll(parts, names.subList(0, 1), "last");
      List<String> all = new ArrayList<>();
      while (!all.contains("sql0 last")) {
        all.add(poll(events));
      }
      consumers.forEach(SplitPages::close);
      assertThat(all).doesNotHaveDuplicates().noneMatch(text -> text.endsWith("early"));
      List<String> behind =
          names.stream().filter(name -> sourceOf(name, parts) == 0).map(n -> n + " late").toList();
      assertThat(behind).isNotEmpty();
      assertThat(all).containsAll(behind);
    }
  }

  @Test
  void consumerThatWasCutOffIsCutOffInEachShard() throws Exception {
    Path source = directory.resolve("source");
    RuntimeOptions bounds =
        RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20).withOutboxBytesMax(0);
    byte[] filling = new byte[900_000];
    try (ObjectRuntime runtime =
        Holdfast.open(
            source,
            objects -> {
              register(objects);
              objects.options(bounds);
            })) {
      SplitPages.Parts.of(runtime).consume(_ -> {}).forEach(SplitPages::close);
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, "sql0").write("r" + round, filling);
      }
    }
    assertThat(source.resolve("journal/0000000000000001.log")).as("dropped").doesNotExist();
    List<Path> shards = division().divide(new FileDisk(), source, 5);
    try (SplitPages.Parts parts = SplitPages.Parts.open(shards)) {
      for (ObjectRuntime each : parts.runtimes) {
        assertThatThrownBy(() -> each.consume("pages", "index", String.class, _ -> {}))
            .isInstanceOf(ConsumerException.class);
      }
    }
  }

  /** A consumer is removed from one shard after the other. */
  @Test
  void eventsOfAShardWithoutTheConsumerDoNotComeBack() throws Exception {
    List<Path> sources = division().named("source", 3);
    List<String> names = List.of("sql0", "sql1", "sql2", "sql3", "sql4", "sql5", "keys0", "keys1");
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    EventHandler<String> handler = batch -> batch.forEach(event -> events.add(event.value()));
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      List<AutoCloseable> consumers = parts.consume(handler);
      sayAll(parts, names, "early");
      names.forEach(_ -> poll(events));
      consumers.forEach(SplitPages::close);
      parts.runtimes.getFirst().admin().removeConsumer("pages", "index");
    }
    List<Path> shards = division().divide(new FileDisk(), Division.asShards(sources), 1);
    try (SplitPages.Parts parts = SplitPages.Parts.open(shards)) {
      List<AutoCloseable> consumers = parts.consume(handler);
      sayAll(parts, names.subList(0, 1), "last");
      assertThat(poll(events)).isEqualTo("sql0 last");
      consumers.forEach(SplitPages::close);
    }
  }

  private static int sourceOf(String name, SplitPages.Parts parts) {
    return new ShardMap(3).shardOf(id(parts.runtimes.getFirst(), name));
  }
}
