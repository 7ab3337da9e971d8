package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process repeatedly over the same directory. It changes and restores objects on both
 * engines while they are saved and their oldest history is dropped. The next process finds the
 * state that was answered, or the state that the step in progress leads to.
 */
final class KilledRestoresTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int KILLS = LONG ? 200 : 2;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  /** By object: the last answered state, and the state that the step in progress leads to. */
  private final Map<String, String> answered = new HashMap<>();

  private final Map<String, String> tried = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int doneCount;

  @Test
  void objectIsAsAnsweredOrAsTheStepInFlightLeavesIt() {
    SplittableRandom random = new SplittableRandom(1);
    for (int kill = 0; kill <= KILLS; kill++) {
      try (ChildJvm child =
          ChildJvm.start(RestoreProcess.class, List.of(directory.toString(), "s" + kill))) {
        Set<String> found = new HashSet<>();
        int lines = random.nextInt(LONG ? 6_000 : 2_000);
        while (!child.ended() && (found.size() < RestoreProcess.objects().size() || lines-- > 0)) {
          take(child.nextLine(PATIENCE), found);
        }
        child.kill();
        while (!child.ended()) {
          take(child.nextLine(PATIENCE), found);
        }
        assertThat(wrong).as("kill %d", kill).isEmpty();
        assertThat(child.wasKilled()).isTrue();
        assertThat(found).containsExactlyInAnyOrderElementsOf(RestoreProcess.objects());
      }
    }
    assertThat(doneCount).isPositive();
  }

  private void take(Optional<String> line, Set<String> found) {
    if (line.isEmpty()) {
      return;
    }
    String[] words = line.get().split(" ", 3);
    if (words.length < 3) {
      return; // ended by the kill
    }
    String object = words[1];
    switch (words[0]) {
      case "found" -> {
        found.add(object);
        String before = answered.getOrDefault(object, "[]");
        if (!words[2].equals(before) && !words[2].equals(tried.get(object))) {
          wrong.add(line.get() + ", answered " + before + ", tried " + tried.get(object));
        }
        answered.put(object, words[2]);
        tried.remove(object);
      }
      case "try" -> tried.put(object, words[2]);
      case "done" -> {
        doneCount++;
        answered.put(object, words[2]);
        tried.remove(object);
      }
      default -> wrong.add(line.get());
    }
  }
}
