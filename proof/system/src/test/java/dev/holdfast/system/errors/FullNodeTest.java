package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.system.process.Mounts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The disk of one node of three becomes full: an error says what to do, the other nodes go on, and
 * the node has everything once there is room.
 */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class FullNodeTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path large;
  @TempDir private Path small;
  private List<String> wrapper = List.of();

  @BeforeEach
  void findOutWhetherMountingIsAllowed() {
    wrapper = Mounts.small("size=120m", small, "head -c 60000000 /dev/zero > \"$1/ballast\"");
    Mounts.assumePossible(wrapper);
  }

  @Test
  void copyWithoutRoomStopsAndCatchesUpWhenThereIsRoom() {
    try (ChildJvm child = nodes("a")) {
      assertFull(child, "shard-stopped");
      assertThat(next(child)).isEqualTo("OTHERS 20 a");
      assertCaughtUp(child);
    }
  }

  @Test
  void ownerWithoutRoomRefusesWritesAndOthersTakeItsShardWhenItIsDrained() {
    try (ChildJvm child = nodes("c")) {
      assertFull(child, "");
      assertThat(next(child)).isIn("OTHERS 20 a", "OTHERS 20 b");
      assertCaughtUp(child);
    }
  }

  private ChildJvm nodes(String owner) {
    return ChildJvm.start(
        wrapper,
        FullNodeHost.class,
        List.of(large.toString(), small.toString(), small.resolve("ballast").toString(), owner));
  }

  private static String next(ChildJvm child) {
    return child.nextLine(PATIENCE).orElseThrow(() -> new AssertionError("the nodes have ended"));
  }

  private static void assertFull(ChildJvm child, String health) {
    assertThat(Long.parseLong(next(child).replace("WRITTEN ", ""))).isBetween(20L, 2_999L);
    assertThat(next(child))
        .startsWith("FAILURE ")
        .containsIgnoringCase("room")
        .contains("c/shards/0000");
    assertThat(next(child)).startsWith("HEALTH ").contains(health);
  }

  private static void assertCaughtUp(ChildJvm child) {
    assertThat(next(child))
        .as("pages that are missing, and one that was added")
        .isEqualTo("BACK 0 1");
    assertThat(next(child)).isEqualTo("DONE");
  }
}
