package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StorageKind;
import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that a killed process leaves in the temporary directory. */
final class LeftLibraryTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  @DisabledOnOs(OS.WINDOWS) // which does not delete what is loaded
  void killedProcessLeavesNoNativeLibrary(StorageKind storage) throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    List<String> options = List.of("-Djava.io.tmpdir=" + temporary);
    List<String> arguments = List.of(directory.resolve("data").toString(), storage.toString());
    try (ChildJvm child = ChildJvm.startWithErrors(options, LibraryProcess.class, arguments)) {
      assertThat(child.nextLine(PATIENCE)).hasValue("WRITTEN");
      child.kill();
    }
    assertThat(temporary).isEmptyDirectory();
  }
}
