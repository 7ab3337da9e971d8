package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.recovery.ObjectRecovery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shard whose owner drops history as soon as it may. */
final class ShardHistoryTest {

  /** More than two segments. */
  private static final int WRITES = 12;

  @TempDir private Path directory;

  private final Random random = new Random(1);

  @Test
  void requestedRestoreKeepsItsHistoryThroughRoundsAndATakeover() throws InterruptedException {
    NamespaceOptions options =
        NamespaceOptions.DEFAULT
            .withStorage(StorageKind.SQLITE)
            .withRecoveryWindow(Duration.ofDays(1));
    try (LocalShard shard =
        new LocalShard(
            directory,
            objects -> objects.namespace("boxes", Box.class, Box.OnStorage::new, options),
            new HistoryOptions(Long.MAX_VALUE / 2, 0))) {
      ObjectRuntime first = shard.own("a");
      boxes(first).getByName("x").put("key", "good");
      String good = recovery(first).history(1).entries().getFirst().bookmark();
      long needed = shard.lastPosition("a") + 1;
      boxes(first).getByName("x").put("key", "bad");
      recovery(first).restoreOnNextSession(good);

      write(shard, first, "a", "b", "c");
      assertThat(shard.oldestPosition("a")).isLessThanOrEqualTo(needed);

      ObjectRuntime second = shard.own("b");
      write(shard, second, "b", "a", "c");
      assertThat(shard.oldestPosition("b")).isLessThanOrEqualTo(needed);
      assertThat(boxes(second).getByName("x").all()).hasToString("{key=good}");

      while (shard.oldestPosition("b") <= needed) {
        write(shard, second, "b", "a", "c");
      }
      ObjectRuntime third = shard.own("c");
      assertThat(boxes(third).getByName("x").all()).hasToString("{key=good}");
    }
  }

  private static ObjectNamespace<Box> boxes(ObjectRuntime runtime) {
    return runtime.namespace("boxes", Box.class);
  }

  private static ObjectRecovery recovery(ObjectRuntime runtime) {
    return runtime.recovery("boxes", boxes(runtime).idFromName("x"));
  }

  /** Writes until an owner could drop what was there before, if nothing held it. */
  private void write(LocalShard shard, ObjectRuntime runtime, String owner, String... others) {
    long last = shard.lastPosition(owner);
    do {
      byte[] bytes = new byte[30_000];
      random.nextBytes(bytes);
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      boxes(runtime).getByName("other").put("key", text);
    } while (shard.lowWaterMark(owner) <= last + WRITES);
    for (String other : others) {
      shard.awaitApplied(other, owner);
      shard.follow(other, Long.MAX_VALUE);
    }
  }
}
