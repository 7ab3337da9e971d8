package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.verify.FindingKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that are damaged, and what a repair makes of them. */
final class RepairTest {

  @TempDir private static Path shared;
  private static Map<String, Object> state;

  @TempDir private Path parent;
  private Path data;
  private Path target;

  @BeforeAll
  static void write() throws IOException {
    SampleDirectory.writeKilled(shared.resolve("data"), shared.resolve("alive"), true);
    Path copy = shared.resolve("copy");
    SampleDirectory.copy(shared.resolve("data"), copy);
    try (ObjectRuntime runtime = SampleDirectory.open(copy, true)) {
      state = SampleDirectory.state(runtime);
    }
  }

  @BeforeEach
  void copy() throws IOException {
    data = parent.resolve("data");
    target = parent.resolve("target");
    SampleDirectory.copy(shared.resolve("data"), data);
  }

  @Test
  void directoryWithoutDamageStaysAsItIs() throws IOException {
    RepairReport report = Repair.into(data, target, parent);
    assertThat(report.losses()).isEmpty();
    assertThat(report.isComplete()).isTrue();
    assertThatEverythingIsThere();
  }

  @Test
  void lostCatalogIsRebuiltWithItsNames() throws IOException {
    Files.delete(data.resolve("sqlite/catalog.sqlite"));
    RepairReport report = Repair.into(data, target, parent);
    assertThat(report.left()).isEmpty();
    assertThatEverythingIsThere();
    assertThat(data.resolve("sqlite/catalog.sqlite")).doesNotExist();
  }

  @Test
  void damagedFileOfAnObjectIsRebuilt() throws IOException {
    flip(largestObject(data), 100_000);
    assertThat(Verification.run(data, parent, false).findings())
        .anyMatch(each -> each.kind() == FindingKind.OBJECT_DAMAGED && each.offset() == 98_304);
    RepairReport report = Repair.into(data, target, parent);
    assertThat(report.steps()).anyMatch(step -> step.startsWith("Rebuilt "));
    assertThat(report.isComplete()).isTrue();
    assertThatEverythingIsThere();
  }

  @ParameterizedTest
  @ValueSource(strings = {"journal.mark", "journal/0000000000000001.log"})
  void damagedMarkOrHeaderIsWrittenAgain(String file) throws IOException {
    flip(data.resolve(file), 40);
    assertThat(Verification.run(data, parent, false).isSound()).isFalse();
    RepairReport report = Repair.into(data, target, parent);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatEverythingIsThere();
  }

  @Test
  void damagedRocksDbIsBuiltAgainFromTheJournal() throws IOException {
    for (Path file : files(data.resolve("rocksdb"))) {
      if (file.toString().endsWith(".sst")) {
        flip(file, 20);
      }
    }
    assertThat(Verification.run(data, parent, false).isSound()).isFalse();
    RepairReport report = Repair.into(data, target, parent);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatEverythingIsThere();
  }

  @Test
  void objectsAreSalvagedUpToDamageInTheMiddleOfTheJournal() throws IOException {
    Path newest =
        files(data.resolve("journal")).stream()
            .filter(file -> file.toString().endsWith(".log"))
            .reduce((_, last) -> last)
            .orElseThrow();
    flip(newest, lastGroups(newest, 4));
    assertThat(Verification.run(data, parent, false).findings())
        .anyMatch(each -> each.kind() == FindingKind.RECORDS_DAMAGED);

    RepairReport report = Repair.into(data, target, parent);

    assertThat(report.left()).isEmpty();
    assertThat(report.isComplete()).isFalse();
    assertThat(report.losses())
        .anyMatch(loss -> loss.startsWith("Journal positions "))
        .anyMatch(loss -> loss.contains("\"small\"") && loss.contains(" lacks "))
        .anyMatch(loss -> loss.startsWith("The history of all objects"));
    try (ObjectRuntime runtime = SampleDirectory.open(target, true)) {
      Map<String, Object> salvaged = SampleDirectory.state(runtime);
      assertThat(salvaged.keySet()).isEqualTo(state.keySet());
      assertThat(salvaged.get("notes")).isEqualTo(state.get("notes"));
      assertThat(salvaged.get("pairs")).isEqualTo(state.get("pairs"));
      assertThat(salvaged.get("pairs small").toString()).contains("round0=one", "round1=one");
      assertThat(salvaged.get("notes small").toString())
          .contains("round0=one", "round1=one")
          .doesNotContain("last=word");
    }
    assertThat(Repair.inPlace(data, parent).losses())
        .anyMatch(loss -> loss.contains("This is repaired in a copy only"));
  }

  /** {@return the offset in a segment of one of its last groups} */
  private static int lastGroups(Path segment, int fromLast) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    int left = fromLast;
    for (int at = bytes.length - 8; at > 0; at -= 8) {
      if (new String(bytes, at, 4, StandardCharsets.US_ASCII).equals("HGRP") && --left == 0) {
        return at + 70;
      }
    }
    throw new IllegalStateException("fewer groups");
  }

  @Test
  void targetThatIsNotEmptyIsRefused() {
    assertThatThrownBy(() -> Repair.into(data, data.resolve("sqlite"), parent))
        .isInstanceOf(DataDirectoryException.class);
  }

  /** The copy is made beside the target, in a directory that is deleted in the end. */
  @ParameterizedTest
  @ValueSource(strings = {"target.unfinished", "target.unfinished/data", "target.unfinished/work"})
  void directoryWhereTheCopyWouldBeMadeIsNotTouched(String name) throws IOException {
    Path damaged = parent.resolve(name);
    Files.createDirectories(damaged.getParent());
    Files.move(data, damaged);
    Map<String, Integer> before = SampleDirectory.content(damaged);
    assertThatThrownBy(() -> Repair.into(damaged, target, parent))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("nothing was changed");
    assertThat(SampleDirectory.content(damaged)).isEqualTo(before);
    assertThat(target).doesNotExist();
  }

  @Test
  void filesOfOthersWhereTheCopyWouldBeMadeStay() throws IOException {
    Path file = parent.resolve("target.unfinished/notes.txt");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "of somebody else");
    assertThatThrownBy(() -> Repair.into(data, target, parent))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("notes.txt");
    assertThat(file).hasContent("of somebody else");
  }

  @Test
  void copyInsideTheDamagedDirectoryIsRefused() throws IOException {
    Map<String, Integer> before = SampleDirectory.content(data);
    assertThatThrownBy(() -> Repair.into(data, data.resolve("copy"), parent))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("nothing was changed");
    assertThat(SampleDirectory.content(data)).isEqualTo(before);
  }

  @Test
  void directoryItselfIsRepairedIfThatIsAsked() throws IOException {
    flip(data.resolve("journal.mark"), 30);
    assertThat(Repair.inPlace(data, parent).isComplete()).isTrue();
    target = data;
    assertThatEverythingIsThere();
  }

  private void assertThatEverythingIsThere() {
    try (ObjectRuntime runtime = SampleDirectory.open(target, true)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(state);
    }
  }

  private static Path largestObject(Path data) throws IOException {
    return files(data.resolve("sqlite/notes")).stream()
        .filter(file -> file.toString().endsWith(".sqlite"))
        .max(Comparator.comparingLong(file -> file.toFile().length()))
        .orElseThrow();
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void flip(Path file, int offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= 1;
    Files.write(file, bytes);
  }
}
