package dev.holdfast.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Plants faults in what all copies of directories share: a test must find each. */
final class PlantedCopyFaultsTest {

  private static final List<PlantedFault> ALL =
      List.of(
          inDisk("copied files are not synced", "FileTree", "      open.force();\n", ""),
          inDisk(
              "names of copied files are not synced",
              "FileTree",
              "    forceFiles(disk, files);\n    forceEach(disk, directories);\n",
              "    forceFiles(disk, files);\n"),
          inDisk(
              "only the nearest directory of a file is synced",
              "FileTree",
              "        each = each.getParent();\n",
              "        each = null;\n"),
          inDisk(
              "a link is followed by a deletion",
              "FileTree",
              "return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);",
              "return Files.isDirectory(path);"),
          inDisk(
              "a file that is left out is copied", "FileTree", "isCopied.test(", "!isCopied.test("),
          inDisk(
              "room is not asked for",
              "FileTree",
              "!disk.hasRoomForCopy(directory, bytes)",
              "false && !disk.hasRoomForCopy(directory, bytes)"),
          inDisk(
              "zeros are not in the checksum of a copy",
              "FileSum",
              "      crc.update(zeros, 0, count);\n",
              ""),
          inDisk(
              "the checksum lacks all but the first chunk",
              "FileSum",
              "      count = file.read(chunk, 0, chunk.length, at);\n",
              "      count = 0;\n"),
          new PlantedFault(
              "a file that changes is linked",
              Path.of("../runtime-spi/src/main/java/dev/holdfast/spi/backup/BackupTarget.java"),
              "if (!part.isImmutable()) {",
              "if (part.bytes() == 0) {"),
          inImage("the views are not held", "        each.hold();\n", "        each.getClass();\n"),
          inImage(
              "the end is read before the views are held",
              "      int copied = Integer.MAX_VALUE;\n",
              "      int copied = Integer.MAX_VALUE;\n      if (copied > 0) { for (FilesCopy each :"
                  + " copies) { each.copyFiles(); } return end.getAsLong(); }\n"),
          inImage("the hold does not end", "      copies.forEach(FilesCopy::close);\n", ""),
          inImage(
              "the journal is copied up to no position",
              "      copy.copyUpTo(position);\n",
              "      copy.copyUpTo(0);\n"));

  @TempDir private Path directory;

  private static PlantedFault inDisk(
      String what, String type, String original, String replacement) {
    return new PlantedFault(
        what,
        Path.of("../runtime-spi/src/main/java/dev/holdfast/spi/disk/" + type + ".java"),
        original,
        replacement);
  }

  private static PlantedFault inImage(String what, String original, String replacement) {
    return new PlantedFault(
        what,
        Path.of("src/main/java/dev/holdfast/backup/DirectoryImage.java"),
        original,
        replacement);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void everyPlantedFaultMakesATestFail() throws Exception {
    PlantedRun run =
        new PlantedRun(
            PlantedCopyFaultsTest.class,
            directory,
            _ ->
                List.of(
                    "dev.holdfast.backup.CopiedTreeTest",
                    "dev.holdfast.backup.DirectoryImageTest"));

    assertThat(run.survivorsOf(ALL)).isEmpty();
  }
}
