package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.Polling;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories without damage, and what a check does to them. */
final class VerificationTest {

  @TempDir private static Path shared;
  @TempDir private Path parent;

  @BeforeAll
  static void write() throws IOException {
    for (boolean keepsHistory : List.of(true, false)) {
      SampleDirectory.writeClosed(shared.resolve("closed-" + keepsHistory), keepsHistory);
      SampleDirectory.writeKilled(
          shared.resolve("killed-" + keepsHistory),
          shared.resolve("alive-" + keepsHistory),
          keepsHistory);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"closed-true", "closed-false", "killed-true", "killed-false"})
  void directoryWithoutDamageIsSound(String name) throws IOException {
    for (boolean isDeep : List.of(true, false)) {
      VerifyReport report = Verification.run(shared.resolve(name), parent, isDeep);
      assertThat(report.findings()).isEmpty();
      assertThat(report.sqliteObjects()).isGreaterThanOrEqualTo(5);
      assertThat(report.rocksDbObjects()).isEqualTo(4);
    }
  }

  /** RocksDB's own files have nothing yet: all of it is in the journal. */
  @Test
  void directoryThatWasKilledBeforeAnythingWasFlushedIsSound() throws IOException {
    Path alive = parent.resolve("alive");
    Path killed = parent.resolve("killed");
    try (ObjectRuntime runtime =
        SampleDirectory.open(alive, true, new VirtualClock(), RuntimeOptions.DEFAULT)) {
      for (String namespace : SampleDirectory.NAMESPACES) {
        runtime
            .namespace(namespace, SampleDirectory.Notes.class)
            .getByName("first")
            .put("key", "value");
      }
      CopyAtRest.of(alive, killed);
    }
    for (boolean isDeep : List.of(true, false)) {
      assertThat(Verification.run(killed, parent, isDeep).findings()).isEmpty();
    }
  }

  /** The records are void, and files that had them were written again. */
  @Test
  void directoryAndBackupOfAPurgedHistoryAreSound() throws IOException {
    Path data = parent.resolve("purged");
    Path backup = parent.resolve("backup");
    VirtualClock clock = new VirtualClock();
    Map<String, Object> left;
    SampleDirectory.writeClosed(data, true);
    try (ObjectRuntime runtime = SampleDirectory.open(data, true, clock, RuntimeOptions.DEFAULT)) {
      for (String namespace : SampleDirectory.NAMESPACES) {
        ObjectNamespace<SampleDirectory.Notes> notes =
            runtime.namespace(namespace, SampleDirectory.Notes.class);
        for (String name : List.of("forgotten", "shortened")) { // without events, which may stay
          notes.getByName(name).fill("key", 3, 20_000);
          notes.getByName(name).fill("key", 2, 100);
          ObjectId id = notes.idFromName(name);
          if (name.equals("forgotten")) {
            runtime.admin().delete(namespace, id);
          }
          purge(runtime, namespace, id, clock);
        }
      }
      left = SampleDirectory.state(runtime);
      runtime.backup(backup);
    }
    for (Path each : List.of(data, backup)) {
      for (boolean isDeep : List.of(true, false)) {
        assertThat(Verification.run(each, parent, isDeep).findings())
            .as(each + " " + isDeep)
            .isEmpty();
      }
    }
    try (ObjectRuntime runtime = SampleDirectory.open(backup, true)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(left);
    }
  }

  /** A purge that must wait looks again when a timer of the runtime is due. */
  private static void purge(
      ObjectRuntime runtime, String namespace, ObjectId id, VirtualClock clock) {
    CompletableFuture<Void> purge = runtime.admin().purgeHistory(namespace, id);
    while (!purge.isDone()) {
      clock.advance(Duration.ofMinutes(10));
      Polling.pause();
    }
    purge.join();
  }

  @Test
  void emptyDirectoryIsSound() throws IOException {
    Path data = Files.createDirectory(parent.resolve("empty"));
    assertThat(Verification.run(data, parent, true).findings()).isEmpty();
    assertThat(data).isEmptyDirectory();
  }

  @Test
  void checkChangesNoByteAndNoTime() throws IOException {
    Path data = shared.resolve("killed-true");
    Map<String, String> before = snapshot(data);
    Verification.run(data, parent, true);
    assertThat(snapshot(data)).isEqualTo(before);
  }

  @Test
  void directoryThatIsInUseIsRefused() {
    Path data = parent.resolve("data");
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
      assertThatThrownBy(() -> Verification.run(data, parent, false))
          .isInstanceOf(DirectoryInUseException.class);
      assertThat(SampleDirectory.state(runtime)).isNotEmpty();
    }
  }

  /** {@return each file with its content and the times of its last changes} */
  private static Map<String, String> snapshot(Path directory) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path each : found.toList()) {
        BasicFileAttributes attributes = Files.readAttributes(each, BasicFileAttributes.class);
        String content =
            attributes.isRegularFile() ? "" + Arrays.hashCode(Files.readAllBytes(each)) : "";
        files.put(
            each.toString(),
            content
                + " "
                + attributes.lastModifiedTime()
                + " "
                + Files.getAttribute(each, "unix:ctime", LinkOption.NOFOLLOW_LINKS));
      }
    }
    return files;
  }
}
