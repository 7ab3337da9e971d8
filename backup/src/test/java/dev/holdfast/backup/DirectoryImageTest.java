package dev.holdfast.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of the steps of every image of a directory. */
final class DirectoryImageTest {

  private static final Instant NOW = Instant.ofEpochMilli(4711);

  @TempDir private Path directory;

  private final List<String> steps = new ArrayList<>();

  private DirectoryImage image(FilesCopy... views) {
    return new DirectoryImage(
        _ -> new StepsOfJournal(),
        java.util.Arrays.stream(views)
            .<java.util.function.Function<BackupTarget, FilesCopy>>map(view -> _ -> view)
            .toList(),
        () -> {
          steps.add("end");
          return 42;
        },
        () -> NOW);
  }

  @Test
  void journalIsPinnedAndTheEndIsReadWhileTheViewsAreHeld() throws IOException {
    DirectoryImage.Copied copied;
    Path target = directory.resolve("target");
    try (DirectoryTarget copy =
        new DirectoryTarget(new BackupDirectory(new FileDisk(), target), () -> {})) {
      copied = image(new StepsOfView("a", 3), new StepsOfView("b", 2)).copy(copy);
    }

    assertThat(copied).isEqualTo(new DirectoryImage.Copied(7, 42, NOW));
    assertThat(steps)
        .containsExactly(
            "segments",
            "copy a",
            "copy b",
            "hold a",
            "hold b",
            "end",
            "release a",
            "release b",
            "journal 42",
            "unpin");
  }

  @Test
  void viewsAreCopiedAgainUntilFewFilesHaveChanged() throws IOException {
    List<ViewImage> images = new ArrayList<>();

    image(new StepsOfView("a", 100, 17, 16, 5))
        .copyViews(
            new NoTarget(),
            made -> {
              images.add(made);
              steps.add("made");
            });

    assertThat(images).containsExactly(new ViewImage(3, 42, NOW.toEpochMilli()));
    assertThat(steps)
        .containsExactly(
            "copy a", "copy a", "copy a", "hold a", "end", "release a", "made", "unpin");
  }

  @Test
  void roundsEndUnderLoad() throws IOException {
    image(new StepsOfView("a", 100, 100, 100, 100, 100)).copyViews(new NoTarget(), _ -> {});

    assertThat(steps).filteredOn("copy a"::equals).hasSize(4);
  }

  @Test
  void failureEndsTheHoldAndThePin() {
    StepsOfView failing =
        new StepsOfView("b", 1) {
          @Override
          public void hold() throws IOException {
            throw new IOException("planned");
          }
        };

    assertThatThrownBy(
            () ->
                image(new StepsOfView("a", 1), failing)
                    .copyViews(new NoTarget(), _ -> steps.add("made")))
        .hasMessage("planned");
    assertThat(steps)
        .containsExactly("copy a", "copy b", "hold a", "release a", "release b", "unpin");
  }

  private final class StepsOfJournal implements JournalCopy {

    @Override
    public long journalId() {
      return 7;
    }

    @Override
    public long lowWaterMark() {
      return 3;
    }

    @Override
    public void copySegments() {
      steps.add("segments");
    }

    @Override
    public void copyUpTo(long endPosition) {
      steps.add("journal " + endPosition);
    }

    @Override
    public void close() {
      steps.add("unpin");
    }
  }

  private class StepsOfView implements FilesCopy {

    private final String name;
    private final Deque<Integer> files = new ArrayDeque<>();

    StepsOfView(String name, int... files) {
      this.name = name;
      for (int each : files) {
        this.files.add(each);
      }
    }

    @Override
    public int copyFiles() {
      steps.add("copy " + name);
      return files.remove();
    }

    @Override
    public void hold() throws IOException {
      steps.add("hold " + name);
    }

    @Override
    public void close() {
      steps.add("release " + name);
    }
  }

  private static final class NoTarget implements BackupTarget {

    @Override
    public boolean keep(String name, String version) {
      return false;
    }

    @Override
    public void put(Source source) {}

    @Override
    public void put(String name, byte[] content) {}
  }
}
