package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.backup.StoppedBackup;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.MemoryDirectory;
import dev.holdfast.journal.StoppedJournal;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process dies after each change that a backup makes in its target. Every tool takes what is left
 * as the same backup, or refuses it as incomplete.
 */
final class InterruptedBackupTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));

  @TempDir(factory = MemoryDirectory.class)
  private Path parent;

  private int count;

  /** What a tool found: the state of the objects, or that the backup is incomplete. */
  private static final String INCOMPLETE = "incomplete";

  /** After all records. */
  private static final Instant LATE = Instant.parse("2100-01-01T00:00:00Z");

  @Test
  void everyToolTakesAnInterruptedBackupAlike() throws IOException {
    Path data = parent.resolve("data");
    Path backup = parent.resolve("backup");
    SampleDirectory.writeClosed(data, true);
    List<Path> first = new ArrayList<>();
    back(data, backup, first);
    String before = state(backup);
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
      SampleDirectory.write(runtime, "later");
    }
    List<Path> second = new ArrayList<>();
    back(data, backup, second);
    String after = state(backup);

    requireAlike(first, List.of(INCOMPLETE, before));
    requireAlike(second, List.of(before, after));
  }

  /** The states of one backup follow each other. */
  private void requireAlike(List<Path> images, List<String> states) throws IOException {
    TreeSet<Integer> seen = new TreeSet<>();
    for (Path image : IS_LONG ? images : some(images)) {
      Map<String, String> found = found(image);
      assertThat(found.values())
          .describedAs("image %s of %s: %s", image.getFileName(), images.size(), found)
          .containsOnly(found.get("open"))
          .isSubsetOf(states);
      int state = states.indexOf(found.get("open"));
      assertThat(seen).allMatch(earlier -> earlier <= state);
      seen.add(state);
    }
    assertThat(seen).containsExactly(0, 1);
  }

  /** {@return an image before the files move, one while they do, and the last one} */
  private static List<Path> some(List<Path> images) {
    List<Path> moving =
        images.stream().filter(each -> Files.exists(each.resolve("backup.new/manifest"))).toList();
    return List.of(
        images.get(images.indexOf(moving.getFirst()) / 2),
        moving.get(moving.size() / 2),
        images.getLast());
  }

  private Map<String, String> found(Path image) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    found.put("open", of(image, InterruptedBackupTest::state));
    found.put("verify", of(image, this::verified));
    found.put("inspect", of(image, InterruptedBackupTest::inspected));
    found.put("restore", of(image, this::restored));
    found.put("restore --at", of(image, this::restoredAt));
    found.put("repair --to", of(image, this::repaired));
    found.put("repair --in-place", of(image, this::repairedInPlace));
    found.put("backup", of(image, this::copied));
    return found;
  }

  private interface Tool {
    String run(Path backup) throws IOException;
  }

  /** Runs a tool on a copy, with an empty directory beside it. */
  private String of(Path image, Tool tool) throws IOException {
    Path work = Files.createDirectory(parent.resolve("work"));
    Path copy = work.resolve("backup");
    try {
      SampleDirectory.copy(image, copy);
      return tool.run(copy);
    } catch (DataDirectoryException e) {
      assertThat(e).hasMessageContaining("incomplete backup");
      return INCOMPLETE;
    } finally {
      FileTree.delete(new FileDisk(), work);
    }
  }

  private static String state(Path backup) throws IOException {
    Path copy = backup.resolveSibling("opened");
    SampleDirectory.copy(backup, copy);
    try (ObjectRuntime runtime = SampleDirectory.open(copy, true)) {
      return Integer.toHexString(SampleDirectory.state(runtime).hashCode());
    } finally {
      FileTree.delete(new FileDisk(), copy);
    }
  }

  private String verified(Path backup) throws IOException {
    assertThat(Verification.run(backup, parent, /* isDeep= */ false).findings()).isEmpty();
    return state(backup);
  }

  private static String inspected(Path backup) throws IOException {
    try (StoppedDirectory stopped = StoppedDirectory.read(backup)) {
      assertThat(
              stopped
                  .inspected()
                  .inspection()
                  .objects(new ObjectQuery("notes", null, null, /* limit= */ 10)))
          .extracting(id -> id.name().orElseThrow())
          .contains("small", "large");
    }
    return state(backup);
  }

  private String restored(Path backup) throws IOException {
    Path to = backup.resolveSibling("restored");
    Holdfast.restore(backup, to, RestoreRequest.of(new RestoreTarget.Latest()));
    return state(to);
  }

  private String restoredAt(Path backup) throws IOException {
    Path to = backup.resolveSibling("restored");
    Holdfast.restore(backup, to, RestoreRequest.of(new RestoreTarget.AtTime(LATE)));
    return state(to);
  }

  private String repaired(Path backup) throws IOException {
    Path to = backup.resolveSibling("repaired");
    assertThat(Repair.into(backup, to, backup.getParent()).losses()).isEmpty();
    return state(to);
  }

  private String repairedInPlace(Path backup) throws IOException {
    assertThat(Repair.inPlace(backup, backup.getParent()).losses()).isEmpty();
    return state(backup);
  }

  private String copied(Path backup) throws IOException {
    Path to = backup.resolveSibling("copied");
    Holdfast.backup(backup, to);
    return state(to);
  }

  /** Makes a backup, and a copy of its target after each change. */
  private void back(Path data, Path target, List<Path> images) {
    Disk disk = new ImagingDisk(target, images);
    StoppedJournal journal = StoppedJournal.read(disk, data);
    StoppedBackup.run(
        new StoppedBackup.Host(
            data,
            disk,
            journal::beginCopy,
            journal.lastPosition(),
            Instant.EPOCH,
            (_, _, _, _) -> {}),
        target);
  }

  /** Copies a directory after each name that appears, moves or goes. */
  private final class ImagingDisk extends ForwardingDisk {

    private final Path target;
    private final List<Path> images;

    ImagingDisk(Path target, List<Path> images) {
      super(new FileDisk());
      this.target = target;
      this.images = images;
    }

    private void image(Path changed) throws IOException {
      if (changed.startsWith(target) && !changed.equals(target)) {
        Path image = parent.resolve("image-" + count++);
        SampleDirectory.copy(target, image);
        images.add(image);
      }
    }

    @Override
    public DiskFile open(Path file, Mode mode) throws IOException {
      boolean isNew = mode == Mode.CREATE && !exists(file);
      DiskFile opened = super.open(file, mode);
      if (isNew) {
        image(file);
      }
      return opened;
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
      super.createDirectories(directory);
      image(directory);
    }

    @Override
    public void delete(Path file) throws IOException {
      boolean isThere = exists(file);
      super.delete(file);
      if (isThere) {
        image(file);
      }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
      super.move(from, to);
      image(to);
    }
  }
}
