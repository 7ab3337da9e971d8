package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.ArchiveCheck;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process repeatedly while it writes, archives, makes images and deletes what they replace.
 * After each kill the archive is sound, and a directory that is restored from it has what was
 * archived. Now and then the data directory is lost, and the next process goes on with the restored
 * one.
 */
final class KilledArchivesTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int KILLS = LONG ? 60 : 2;
  private static final int LINES = 600;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private long archived;

  @Test
  void whatWasArchivedWhenAProcessIsKilledIsRestored() throws IOException {
    Path data = directory.resolve("data");
    Path archive = directory.resolve("archive");
    SplittableRandom random = new SplittableRandom(1);
    for (int kill = 0; kill < KILLS; kill++) {
      try (ChildJvm child =
          ChildJvm.start(ArchiveProcess.class, List.of(data.toString(), archive.toString()))) {
        boolean hasArchived = kill % 2 == 1; // every second one archives something
        for (int lines = random.nextInt(LINES); !child.ended() && (!hasArchived || lines > 0); ) {
          lines--;
          hasArchived |= child.nextLine(PATIENCE).map(this::take).orElse(false);
        }
        child.kill();
        while (!child.ended()) {
          child.nextLine(PATIENCE).ifPresent(this::take);
        }
        assertThat(child.wasKilled()).isTrue();
      }
      assertThat(ArchiveCheck.run(new DirectoryArchive(archive), archive).findings()).isEmpty();
      Path restored = directory.resolve("restored-" + kill);
      Holdfast.restore(
          new DirectoryArchive(archive), restored, RestoreRequest.of(new RestoreTarget.Latest()));
      try (ObjectRuntime runtime = BackupProcess.open(restored)) {
        assertThat(BackupProcess.last(runtime)).isGreaterThanOrEqualTo(archived);
      }
      if (kill % 3 == 2) {
        data = restored;
      }
    }
    assertThat(archived).isPositive();
  }

  private boolean take(String line) {
    String[] words = line.split(" ");
    if (words.length == 2 && words[0].equals("archived")) {
      archived = Long.parseLong(words[1]);
      return archived > 0;
    }
    return false;
  }
}
