package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.shard.RoundJournal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rounds of a node whose files have more than a round would read, or than its replica has applied
 * again: none of them brings a file back to an earlier state.
 */
class ShardRoundsHorizonTest {

  private static final long ALL = Long.MAX_VALUE;
  private static final int SMALL = 20_000;

  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir Path directory;

  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord each) {
          logged.add(each.getLevel() + ": " + each.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private final TreeMap<String, TreeMap<String, String>> model = new TreeMap<>();
  private LocalShard shard;

  @BeforeEach
  void start() {
    LOG.addHandler(handler);
    shard =
        new LocalShard(
            directory,
            objects -> {
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    kind.name(),
                    Box.class,
                    Box.OnStorage::new,
                    NamespaceOptions.DEFAULT.withStorage(kind));
              }
            });
  }

  @AfterEach
  void close() {
    shard.close();
    LOG.removeHandler(handler);
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(kind.name(), Box.class);
  }

  private void write(ObjectRuntime owner, int first, int last) {
    for (int i = first; i < last; i++) {
      String text = ("text " + i % 7).repeat(200);
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        boxes(owner, kind).getByName("x" + i % 10).put("key" + i % 90, text);
      }
      model.computeIfAbsent("x" + i % 10, _ -> new TreeMap<>()).put("key" + i % 90, text);
    }
  }

  private void check(ObjectRuntime owner) {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      model.forEach(
          (name, pairs) ->
              assertThat(boxes(owner, kind).getByName(name).all())
                  .as("%s %s", kind, name)
                  .isEqualTo(pairs));
    }
    assertThat(logged).as("nothing was made again from the history").noneMatch(isRebuilt());
  }

  private static Predicate<String> isRebuilt() {
    return line -> line.contains("rebuilt") || line.contains("SEVERE");
  }

  private void followInSmallRounds(String node) {
    for (int round = 0; shard.follow(node, SMALL); round++) {
      assertThat(round).as("rounds").isLessThan(100);
    }
  }

  /**
   * Node a owned the shard, and then its power was cut: its files are durable, but its replica goes
   * on from far behind, with the low-water mark of that time.
   */
  private void ownThenFallBehind(int last, boolean isDropped) throws Exception {
    write(shard.own("b"), 0, 20);
    shard.awaitApplied("a", "b");
    shard.follow("a", ALL);
    shard.stop("a");
    Path old = copy("a", "old");
    shard.start("a");
    write(shard.own("a"), 20, last);
    shard.stop("a");
    write(shard.own("b"), last, last + 20);
    Path image = copy("a", "image");
    Files.copy(old.resolve("saved"), image.resolve("saved"), StandardCopyOption.REPLACE_EXISTING);
    if (isDropped) {
      for (String other : List.of("b", "c")) {
        shard.awaitApplied(other, "b");
        shard.stop(other);
        shard.start(other);
      }
      shard.drop();
    }
    shard.startHeld("a", image);
  }

  @Test
  void roundsAfterAnOwnershipThatEndedUncleanly() throws Exception {
    ownThenFallBehind(400, /* isDropped= */ false);
    shard.hold("a", false);
    shard.awaitApplied("a", "b");

    followInSmallRounds("a");

    assertThat(shard.behindBytes("a")).isZero();
    check(shard.own("a"));
    assertThat(shard.failure("a")).isNull();
  }

  /** The log has dropped what the owner had appended, so it does not know which records are its. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ownerThatMustFetchItsOwnPartOfTheJournal(boolean follows) throws Exception {
    ownThenFallBehind(120, /* isDropped= */ true);
    shard.hold("a", false);
    shard.awaitApplied("a", "b");
    assertThat(shard.fetches()).isPositive();

    if (follows) {
      followInSmallRounds("a");
      write(shard.own("b"), 140, 160);
      shard.awaitApplied("a", "b");
      followInSmallRounds("a");
    }

    check(shard.own("a"));
  }

  @Test
  void roundsWaitUntilAnOwnerHasAppliedAgainWhatItsFilesHave() throws Exception {
    ownThenFallBehind(120, /* isDropped= */ false);
    int rounds = 0;
    do {
      rounds += shard.follow("a", SMALL) ? 1 : 0;
    } while (shard.passOne("a"));
    shard.hold("a", false);
    shard.awaitApplied("a", "b");
    followInSmallRounds("a");

    assertThat(rounds).isPositive();
    check(shard.own("a"));
  }

  @Test
  void segmentThatIsMissingIsNotRead() throws Exception {
    write(shard.own("b"), 0, 400);
    shard.awaitApplied("c", "b");
    shard.stop("c");
    Files.delete(directory.resolve("c/journal/0000000000000001.log"));
    shard.start("c");

    assertThatThrownBy(() -> shard.follow("c", ALL))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining("is missing");
    assertThat(shard.lowWaterMark("c")).isLessThanOrEqualTo(1);
  }

  @Test
  void roundThatOutlivesItsReplicaRecordsNothing() throws Exception {
    write(shard.own("b"), 0, 10);
    shard.awaitApplied("c", "b");
    RoundJournal round = Objects.requireNonNull(shard.beginRound("c"));
    shard.stop("c");
    shard.start("c");
    byte[] bases = Files.readAllBytes(directory.resolve("c/bases"));

    assertThatThrownBy(() -> round.finish(List.of())).isInstanceOf(JournalFailedException.class);

    assertThat(directory.resolve("c/bases")).hasBinaryContent(bases);
  }

  private Path copy(String node, String name) throws IOException {
    Path from = directory.resolve(node);
    Path to = directory.resolve(name);
    try (Stream<Path> found = Files.walk(from)) {
      for (Path each : found.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
    return to;
  }
}
