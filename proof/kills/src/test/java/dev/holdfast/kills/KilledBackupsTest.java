package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.verify.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process repeatedly while it writes and backs up into the same target. After each kill the
 * data directory has what was answered, and the target has the last backup or a later one, or
 * refuses to open if no backup was ever complete.
 */
final class KilledBackupsTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int KILLS = LONG ? 50 : 2;
  private static final int LINES = 400;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private long stored;
  private long backedUp = -1;
  private boolean hasBackup;

  @Test
  void killHarmsNeitherTheSourceNorTheLastBackup() throws IOException {
    Path data = directory.resolve("data");
    Path target = directory.resolve("target");
    SplittableRandom random = new SplittableRandom(1);
    for (int kill = 0; kill < KILLS; kill++) {
      try (ChildJvm child =
          ChildJvm.start(BackupProcess.class, List.of(data.toString(), target.toString()))) {
        hasBackup = kill % 2 == 0; // every second process completes one at least
        for (int lines = random.nextInt(LINES); !child.ended() && (!hasBackup || lines > 0); ) {
          lines--;
          child.nextLine(PATIENCE).ifPresent(this::take);
        }
        child.kill();
        while (!child.ended()) {
          child.nextLine(PATIENCE).ifPresent(this::take);
        }
        assertThat(child.wasKilled()).isTrue();
      }
      try (ObjectRuntime runtime = BackupProcess.open(data)) {
        assertThat(BackupProcess.last(runtime)).isGreaterThanOrEqualTo(stored);
      }
      requireLastBackup(target, directory.resolve("copy-" + kill));
    }
    assertThat(backedUp).isPositive();
  }

  private void take(String line) {
    String[] words = line.split(" ");
    if (words.length < 2) {
      return; // ended by the kill
    }
    switch (words[0]) {
      case "stored" -> stored = Long.parseLong(words[1]);
      case "backup" -> {
        backedUp = Long.parseLong(words[1]);
        hasBackup = true;
      }
      default -> throw new IllegalStateException(line);
    }
  }

  /** Opens a copy: a backup that was opened is no target any more. */
  private void requireLastBackup(Path target, Path copy) throws IOException {
    if (!Files.exists(target)) {
      assertThat(backedUp).isNegative();
      return;
    }
    CopyAtRest.of(target, copy);
    try (ObjectRuntime runtime = BackupProcess.open(copy)) {
      assertThat(BackupProcess.last(runtime)).isGreaterThanOrEqualTo(backedUp);
    } catch (DataDirectoryException e) {
      assertThat(e).hasMessageContaining("incomplete backup");
      assertThat(backedUp).isNegative();
      return;
    }
    assertThat(Verification.run(copy, directory, /* isDeep= */ false).findings())
        .noneMatch(finding -> finding.counts());
  }
}
