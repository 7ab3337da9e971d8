package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.verify.Repair;
import dev.holdfast.verify.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills repairs, and restores of data directories, at random moments. The source does not change,
 * and the new directory has its name only if it is sound and has everything.
 */
final class KilledRepairsTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int KILLS = LONG ? 100 : 2;
  private static final int DELAY_MILLIS_MAX = 1_200;
  private static final long NUMBERS = 120;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @Test
  void copyHasItsNameOnlyWhenItIsRepaired() throws IOException {
    Path data = directory.resolve("data");
    writeAndDamage(data);
    TreeMap<String, String> before = state(data);
    assertThat(Verification.run(data, directory, /* isDeep= */ false).isSound()).isFalse();

    SplittableRandom random = new SplittableRandom(1);
    for (int kill = 0; kill < KILLS; kill++) {
      Path scratch = Files.createDirectory(directory.resolve("scratch-" + kill));
      Path target = directory.resolve("repaired-" + kill);
      kill(
          RepairProcess.class,
          List.of(data.toString(), target.toString(), scratch.toString()),
          target,
          random.nextInt(DELAY_MILLIS_MAX));
      assertThat(state(data)).isEqualTo(before);
      if (!Files.exists(target)) {
        Path again = directory.resolve("again-" + kill);
        assertThat(Repair.into(data, again, scratch).isComplete()).isTrue();
        target = again;
      }
      assertThat(Verification.run(target, scratch, /* isDeep= */ true).findings()).isEmpty();
      try (ObjectRuntime runtime = BackupProcess.open(target)) {
        assertThat(BackupProcess.last(runtime)).isEqualTo(NUMBERS);
      }
    }
  }

  @Test
  void directoryHasItsNameOnlyWhenItIsRestored() throws IOException {
    Path data = directory.resolve("data");
    long position;
    try (ObjectRuntime runtime = BackupProcess.open(data)) {
      BackupProcess.cell(runtime, 1).set(1);
      position = runtime.statistics().journal().lastPosition();
      for (long number = 2; number <= NUMBERS; number++) {
        BackupProcess.cell(runtime, number).set(number);
      }
    }
    TreeMap<String, String> before = state(data);
    SplittableRandom random = new SplittableRandom(2);
    for (int kill = 0; kill < KILLS / 2; kill++) {
      Path target = directory.resolve("restored-" + kill);
      List<String> arguments = List.of(data.toString(), target.toString(), Long.toString(position));
      kill(DirectoryRestoreProcess.class, arguments, target, random.nextInt(DELAY_MILLIS_MAX));
      assertThat(state(data)).isEqualTo(before);
      if (!Files.exists(target)) {
        DirectoryRestoreProcess.main(arguments.toArray(String[]::new));
      }
      Path scratch = Files.createDirectory(directory.resolve("restored-scratch-" + kill));
      assertThat(Verification.run(target, scratch, /* isDeep= */ true).findings()).isEmpty();
      try (ObjectRuntime runtime = BackupProcess.open(target)) {
        assertThat(BackupProcess.last(runtime)).isEqualTo(1);
      }
    }
  }

  private static void writeAndDamage(Path data) throws IOException {
    try (ObjectRuntime runtime = BackupProcess.open(data)) {
      for (long number = 1; number <= NUMBERS; number++) {
        BackupProcess.cell(runtime, number).set(number);
      }
    }
    try (Stream<Path> files = Files.walk(data.resolve("sqlite/SQLITE"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".sqlite")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 20] ^= 1;
        Files.write(file, bytes);
      }
    }
  }

  private static void kill(Class<?> process, List<String> arguments, Path target, int delayMillis) {
    try (ChildJvm child = ChildJvm.start(process, arguments)) {
      assertThat(child.nextLine(PATIENCE)).hasValue("begin");
      Optional<String> end = child.nextLine(Duration.ofMillis(delayMillis)); // the random moment
      end.ifPresent(line -> assertThat(target).exists());
    }
  }

  /** {@return the content and the time of each file} */
  private static TreeMap<String, String> state(Path root) throws IOException {
    TreeMap<String, String> state = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        state.put(
            root.relativize(file).toString(),
            Arrays.hashCode(Files.readAllBytes(file)) + " " + Files.getLastModifiedTime(file));
      }
    }
    return state;
  }
}
