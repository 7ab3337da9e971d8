package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.PowerLossDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A restored directory gets its name when it is complete and durable. */
final class ArchiveRestorePowerLossTest {

  private static final RestoreTarget LATEST = new RestoreTarget.Latest();
  private static final RestoreProgress SILENT = (_, _, _, _) -> {};
  private static final int IMAGES = 8;

  private final ArchivedJournals place = new ArchivedJournals();
  private final List<String> texts = new ArrayList<>();

  @BeforeEach
  void archive() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("source")) {
      for (int i = 0; i < 20; i++) {
        texts.add(i + "x".repeat(1_000)); // several segments
        opened.write(texts.getLast());
        if (i == 3) {
          opened.writer(ArchiveOptions.to(place.store).withBaseBytes(1)).run();
        }
      }
      opened.writer().run();
    }
    texts.subList(0, 3).clear(); // the image has what they lead to
  }

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  private PowerLossDisk disk(String root) throws IOException {
    return new PowerLossDisk(Files.createDirectory(place.directory.resolve(root)));
  }

  private List<String> texts(String data) throws IOException {
    assertThat(place.directory.resolve(data).resolve(ArchivedJournals.FILE)).hasContent("4");
    try (ArchivedJournals.Opened restored = place.open(data)) {
      return restored.texts();
    }
  }

  @Test
  void everythingIsDurableBeforeTheDirectoryGetsItsName() throws IOException {
    PowerLossDisk disk = disk("root");
    Path target = place.directory.resolve("root/restored");
    RestoreProgress taken = (_, _, _, _) -> take(target);
    // The step after the last sync is the rename; the name is taken, so it is not done.
    assertThatThrownBy(() -> place.restore(disk, "root/restored", LATEST, taken))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("complete in");
    for (int seed = 0; seed < IMAGES; seed++) {
      String image = "image-" + seed;
      disk.writeCrashImage(place.directory.resolve(image), seed);
      assertThat(texts(image + "/restored.restoring/data")).isEqualTo(texts);
    }
  }

  private static void take(Path name) {
    try {
      Files.createDirectories(name.resolve("taken"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void failureOfAnyStepLeavesNoDirectoryAndCanBeRepeated() throws IOException {
    PowerLossDisk whole = disk("whole");
    place.restore(whole, "whole/restored", LATEST, SILENT);
    assertThat(whole.steps()).isGreaterThan(5);
    for (long step = 0; step < whole.steps(); step++) {
      String root = "step-" + step;
      PowerLossDisk disk = disk(root);
      disk.cutPowerAfter(step);
      // The last step is the sync of the parent: the directory has its name, and is complete.
      assertThatThrownBy(() -> place.restore(disk, root + "/restored", LATEST, SILENT))
          .describedAs(disk.lastStep())
          .isInstanceOf(DataDirectoryException.class);
      if (!Files.exists(place.directory.resolve(root + "/restored"))) {
        place.restore(root + "/restored", LATEST, SILENT);
      }
      assertThat(texts(root + "/restored")).describedAs(disk.lastStep()).isEqualTo(texts);
    }
  }
}
