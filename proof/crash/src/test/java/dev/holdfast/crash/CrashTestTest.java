package dev.holdfast.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CrashTestTest {

  @TempDir private Path directory;

  @Test
  void directoryThatAKillCameBeforeHasNoBytes() throws IOException {
    assertThat(CrashTest.bytes(directory.resolve("data-1"))).isZero();
    CrashTest.delete(directory.resolve("data-1"));
    Files.write(directory.resolve("file"), new byte[7]);
    assertThat(CrashTest.bytes(directory)).isEqualTo(7);
  }
}
