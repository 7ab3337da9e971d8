package dev.holdfast.embedded.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of objects that were damaged while no runtime had them open, through the public API. */
final class DamagedObjectFilesTest {

  @TempDir private Path parent;
  private Path data;

  @BeforeEach
  void choose() {
    data = parent.resolve("data");
  }

  /** The stored notes. */
  interface Notes {

    void put(String key, int count);

    int count();
  }

  /** The object. */
  record NotesObject(ObjectStorage storage) implements Notes {

    @Override
    public void put(String key, int count) {
      for (int number = 0; number < count; number++) {
        storage.put(key + number, "x".repeat(1_000));
      }
    }

    @Override
    public int count() {
      return storage.list(String.class).size();
    }
  }

  private ObjectRuntime open(VirtualClock clock, Duration recoveryWindow) {
    return open(data, clock, recoveryWindow);
  }

  private static ObjectRuntime open(Path directory, VirtualClock clock, Duration recoveryWindow) {
    return Holdfast.open(
        directory,
        clock,
        objects ->
            objects.namespace(
                "notes",
                Notes.class,
                (ObjectContext context) -> new NotesObject(context.storage()),
                NamespaceOptions.DEFAULT
                    .withIdleTimeout(Duration.ofDays(9))
                    .withRecoveryWindow(recoveryWindow)));
  }

  private static Notes notes(ObjectRuntime runtime, String name) {
    return runtime.namespace("notes", Notes.class).getByName(name);
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("sqlite").resolve("notes"))) {
      return files.filter(file -> file.toString().endsWith(".sqlite")).findFirst().orElseThrow();
    }
  }

  private void fill(int count) {
    try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
      notes(runtime, "a").put("first", count);
      notes(runtime, "a").put("second", 1);
    }
  }

  @Test
  void fileThatWasLostIsMadeAgainFromTheHistory() throws IOException {
    fill(20);
    Path file = file();
    byte[] right = Files.readAllBytes(file);
    byte[] flipped = right.clone();
    flipped[flipped.length - 50] ^= 4;
    for (byte[] damage : List.of(new byte[0], flipped, Arrays.copyOf(right, 8_192))) {
      Files.write(file, damage);
      try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
        assertThat(notes(runtime, "a").count()).isEqualTo(21);
      }
    }
    Files.delete(file);
    try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
      assertThat(notes(runtime, "a").count()).isEqualTo(21);
    }
    assertThat(file).hasBinaryContent(right);
  }

  /**
   * The journal has a batch that was not saved, and the file lacks the state that it depends on.
   */
  @ParameterizedTest
  @ValueSource(strings = {"missing", "emptied", "cut", "flipped", "older", "foreign"})
  void fileWithUnsavedBatchesIsMadeAgainFromTheHistory(String damage) throws IOException {
    fill(20);
    Path file = file();
    byte[] saved = Files.readAllBytes(file);
    fill(30);
    Path killed = data.resolveSibling(data.getFileName() + "-killed");
    try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
      notes(runtime, "a").put("third", 1);
      CopyAtRest.of(data, killed);
    }
    Path left = killed.resolve(data.relativize(file));
    byte[] right = Files.readAllBytes(left);
    byte[] flipped = right.clone();
    flipped[right.length / 2] ^= 4;
    byte[] foreign = right.clone();
    Arrays.fill(foreign, 8_192, right.length, (byte) 7);
    switch (damage) {
      case "missing" -> Files.delete(left);
      case "emptied" -> Files.write(left, new byte[0]);
      case "cut" -> Files.write(left, Arrays.copyOf(right, 8_192));
      case "flipped" -> Files.write(left, flipped);
      case "older" -> Files.write(left, saved);
      default -> Files.write(left, foreign);
    }
    for (int opening = 0; opening < 2; opening++) {
      try (ObjectRuntime runtime = open(killed, new VirtualClock(), Duration.ofDays(1))) {
        assertThat(notes(runtime, "a").count()).isEqualTo(32);
        assertThat(notes(runtime, "b").count()).isZero();
      }
    }
    assertThat(left).hasBinaryContent(Files.readAllBytes(file));
  }

  /**
   * Two faults at once: the catalog's data about the files is lost, and the journal has recorded
   * that.
   */
  @Test
  void olderOrForeignFileBesideALostCatalogIsMadeAgainFromTheHistory() throws IOException {
    fill(20);
    Path file = file();
    byte[] older = Files.readAllBytes(file);
    try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
      notes(runtime, "a").put("third", 1);
    }
    byte[] right = Files.readAllBytes(file);
    byte[] foreign;
    try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
      notes(runtime, "b").put("other", 30);
    }
    try (Stream<Path> files = Files.walk(data.resolve("sqlite").resolve("notes"))) {
      foreign =
          Files.readAllBytes(
              files
                  .filter(each -> each.toString().endsWith(".sqlite") && !each.equals(file))
                  .findFirst()
                  .orElseThrow());
    }
    for (byte[] damage : List.of(older, foreign)) {
      Files.write(file, damage);
      Files.delete(data.resolve("sqlite").resolve("catalog.sqlite"));
      try (ObjectRuntime runtime = open(new VirtualClock(), Duration.ofDays(1))) {
        assertThat(notes(runtime, "a").count()).isEqualTo(22);
        assertThat(notes(runtime, "b").count()).isEqualTo(30);
      }
      assertThat(file).hasBinaryContent(right);
    }
  }

  /** The file is larger than the part that is read at the opening. */
  @Test
  void flippedBitOfALargeFileIsFoundWithinAMinute() throws IOException {
    fill(400);
    Path file = file();
    byte[] flipped = Files.readAllBytes(file);
    assertThat(flipped.length).isGreaterThan(300_000);
    int at = flipped.length - 50;
    while (flipped[at] != 'x') {
      at--;
    }
    flipped[at] ^= 4;
    Files.write(file, flipped);
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = open(clock, Duration.ofDays(1))) {
      notes(runtime, "a").put("third", 1);
      // The call in progress, or the next.
      assertThatExceptionOfType(HoldfastException.class)
          .isThrownBy(
              () -> {
                for (int calls = 0; calls < 100_000; calls++) {
                  clock.advance(Duration.ofSeconds(1));
                  notes(runtime, "a").put("fourth", 1);
                }
              });
      assertThatThrownBy(() -> notes(runtime, "a").count())
          .hasStackTraceContaining(StorageFailedException.class.getName())
          .hasStackTraceContaining("was damaged: page")
          .hasStackTraceContaining(file.toString());
    }
  }
}
