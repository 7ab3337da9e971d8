package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.crash.CrashTestCommand;
import dev.holdfast.launcher.Verb;
import java.lang.classfile.ClassFile;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The crash test of a cluster finds faults that are planted in the journal of a shard. */
final class PlantedFaultTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void faultCanBePlanted(PlantedFault fault) throws Exception {
    assertThat(ClassFile.of().verify(fault.planted().bytes())).isEmpty();
    assertThat(PlantedFault.ofOption(fault.optionName())).isEqualTo(fault);
  }

  @ParameterizedTest
  @EnumSource
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void faultIsFound(PlantedFault fault) throws Exception {
    assertThat(
            new NodesCrashTest(
                    new NodesCrashTest.Settings(
                        directory, 3, 1, Duration.ofMinutes(8), fault.optionName()),
                    System.out)
                .run()
                .violations())
        .as("broken promises; that the nodes do not start is none")
        .isNotEmpty();
  }

  @Test
  void wrongUsageIsSaid() {
    assertThat(Verb.run(new CrashTestCommand(), "--nodes", "2")).isEqualTo(2);
    assertThat(Verb.run(new CrashTestCommand(), "--planted-fault", "local-gate")).isEqualTo(2);
    assertThat(Verb.run(new CrashTestCommand(), "--storage", "x")).isEqualTo(2);
    assertThat(Verb.run(new CrashTestCommand(), "--nodes", "3", "--storage", "sqlite"))
        .isEqualTo(2);
    assertThat(Verb.run(new CrashTestCommand(), "--nodes", "3", "--planted-fault", "x"))
        .isEqualTo(2);
    assertThatThrownBy(() -> PlantedFault.ofOption("x"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
