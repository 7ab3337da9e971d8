package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A damaged file of an object of which the journal has dropped batches, and an archive has them.
 */
final class ArchivedRepairTest {

  @TempDir private Path parent;
  private Path data;
  private Path archive;
  private Path damaged;
  private Map<String, Object> state;

  @BeforeEach
  void writeAndDamage() throws IOException {
    data = parent.resolve("data");
    archive = parent.resolve("archive");
    for (String round : List.of("abcdefgh", "ijklmnop", "q")) {
      RuntimeOptions options =
          RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(new DirectoryArchive(archive)));
      try (ObjectRuntime runtime = SampleDirectory.open(data, false, new VirtualClock(), options)) {
        for (String each : round.split("")) {
          SampleDirectory.write(runtime, each);
        }
        state = SampleDirectory.state(runtime);
      }
    }
    // The journal cannot rebuild an object from its first batch on.
    assertThat(data.resolve("journal/0000000000000001.log")).doesNotExist();
    damaged = largest(data.resolve("sqlite/notes"));
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[bytes.length / 2] ^= 1;
    Files.write(damaged, bytes);
  }

  private static Path largest(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".sqlite"))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  @Test
  void fileIsTakenFromTheArchiveAndNothingIsLost() throws IOException {
    Path target = parent.resolve("target");
    RepairReport report = Repair.into(data, target, parent, new DirectoryArchive(archive));
    assertThat(report.steps())
        .anyMatch(step -> step.contains(" from ") && step.contains("nothing is lost"));
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    try (ObjectRuntime runtime = SampleDirectory.open(target, false)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(state);
    }
  }

  @Test
  void objectStaysRefusedIfTheArchiveDoesNotLeadToItsFile() throws IOException {
    Path target = parent.resolve("target");
    RepairReport report =
        Repair.into(data, target, parent, new DirectoryArchive(parent.resolve("empty")));
    assertThat(report.isComplete()).isFalse();
    assertThat(report.losses())
        .singleElement()
        .asString()
        .contains("stays refused", "has no archive", "./holdfast restore");
    assertThat(Files.readAllBytes(target.resolve(data.relativize(damaged))))
        .isEqualTo(Files.readAllBytes(damaged));
  }
}
