package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Damage to any entry of an archive is found, and no restore serves wrong records. */
final class ArchiveCheckTest {

  private static final Path PLACE = Path.of("store");

  private final ArchivedJournals place = new ArchivedJournals();
  private final List<String> texts = new ArrayList<>();

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  /** Three openings, and a copy of the first that went its own way: the last is the newest. */
  private void archive() throws IOException {
    write("data", "a");
    place.restored("copy", new RestoreTarget.AtPosition(2));
    write("data", "b");
    write("data", "c");
    texts.subList(2, texts.size()).clear();
    place.clock.advance(Duration.ofSeconds(1));
    write("copy", "d");
  }

  private void write(String data, String name) throws IOException {
    try (ArchivedJournals.Opened opened = place.open(data)) {
      ArchiveWriter writer = opened.writer();
      for (int i = 0; i < 3; i++) {
        texts.add(name + i);
        opened.write(texts.getLast());
        writer.run();
      }
    }
  }

  /** A directory that was opened twice, with images; what was before the oldest one is deleted. */
  private void archiveWithImages() throws IOException {
    ArchiveOptions options = ArchiveOptions.to(place.store).withBaseBytes(1).withBasesMax(2);
    for (String name : List.of("a", "b")) {
      try (ArchivedJournals.Opened opened = place.open("data")) {
        ArchiveWriter writer = opened.writer(options);
        for (int i = 0; i < 3; i++) {
          texts.add(name + i);
          opened.write(texts.getLast());
          place.clock.advance(Duration.ofSeconds(1));
          writer.run();
        }
        texts.add(name + " after the image");
        opened.write(texts.getLast());
        opened.writer().run();
      }
    }
  }

  private List<Finding> findings() throws IOException {
    return ArchiveCheck.run(place.archive, PLACE).findings();
  }

  @Test
  void soundArchiveHasNoFinding() throws IOException {
    archive();
    ArchiveCheck.Result result = ArchiveCheck.run(place.archive, PLACE);
    assertThat(result.findings()).isEmpty();
    assertThat(result.generations()).isEqualTo(4);
    assertThat(result.chunks()).isEqualTo(12);
    assertThat(result.lastPosition()).isEqualTo(5);
    assertThat(result.readBytes()).isPositive();
    assertThat(place.restored("restored", new RestoreTarget.Latest())).isEqualTo(texts);
  }

  @Test
  void placeWithoutAnArchiveIsRefused() {
    assertThatThrownBy(this::findings)
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("no archive");
  }

  @Test
  void eachDamagedEntryIsFound() throws IOException {
    archive();
    assertEachDamageIsFound();
  }

  @Test
  void eachDamagedEntryOfAnArchiveWithImagesIsFound() throws IOException {
    archiveWithImages();
    assertThat(findings()).isEmpty();
    assertThat(place.archive.names())
        .anyMatch(name -> name.endsWith(".pack"))
        .noneMatch(name -> name.endsWith("/0000000000000001.chunk"));
    assertEachDamageIsFound();
  }

  private void assertEachDamageIsFound() throws IOException {
    List<UnaryOperator<byte[]>> damages =
        List.of(
            bytes -> Arrays.copyOf(bytes, bytes.length / 2),
            bytes -> Arrays.copyOf(bytes, bytes.length + 1),
            bytes -> new byte[bytes.length],
            _ -> new byte[0],
            bytes -> flipped(bytes, bytes.length / 3),
            bytes -> flipped(bytes, bytes.length - 1));
    for (String name : place.archive.names()) {
      for (UnaryOperator<byte[]> damage : damages) {
        byte[] right = place.archive.bytes(name);
        place.archive.damage(name, damage);
        assertFound(name);
        place.archive.damage(name, _ -> right);
      }
    }
  }

  private static byte[] flipped(byte[] bytes, int index) {
    byte[] flipped = bytes.clone();
    flipped[index] ^= 1;
    return flipped;
  }

  @Test
  void eachSwappedPairIsFound() throws IOException {
    archive();
    List<String> names = place.archive.names();
    for (int i = 0; i + 1 < names.size(); i++) {
      byte[] one = place.archive.bytes(names.get(i));
      byte[] other = place.archive.bytes(names.get(i + 1));
      place.archive.damage(names.get(i), _ -> other);
      place.archive.damage(names.get(i + 1), _ -> one);
      assertFound(names.get(i));
      place.archive.damage(names.get(i), _ -> one);
      place.archive.damage(names.get(i + 1), _ -> other);
    }
  }

  @Test
  void eachDeletedEntryIsFoundUnlessNothingFollowsIt() throws IOException {
    archive();
    // The last chunks of the newest generation of each directory: later ones do not continue them.
    Set<String> ends =
        Set.of(
            "journal/0000000000000003/0000000000000009.chunk",
            "journal/0000000000000004/0000000000000005.chunk");
    for (String name : place.archive.names()) {
      byte[] right = place.archive.bytes(name);
      place.archive.delete(name);
      assertThat(findings().isEmpty()).describedAs(name).isEqualTo(ends.contains(name));
      assertPrefixOrRefused(name);
      place.archive.putIfAbsent(name, ArchiveContent.of(right));
    }
    assertThat(findings()).isEmpty();
  }

  @Test
  void deletedEntryOfAnArchiveWithImagesIsFoundOrNotNeeded() throws IOException {
    archiveWithImages();
    String last = place.archive.names().getLast();
    for (String name : place.archive.names()) {
      byte[] right = place.archive.bytes(name);
      place.archive.delete(name);
      // An image without its entry was never completed: an earlier one leads to the same state.
      boolean isNotNeeded = name.endsWith(".base") || name.equals(last);
      assertThat(findings().isEmpty()).describedAs(name).isEqualTo(isNotNeeded);
      assertPrefixOrRefused(name);
      place.archive.putIfAbsent(name, ArchiveContent.of(right));
    }
  }

  private void assertFound(String name) throws IOException {
    assertThat(findings()).describedAs(name).anyMatch(each -> each.file().endsWith(Path.of(name)));
    assertPrefixOrRefused(name);
  }

  private void assertPrefixOrRefused(String name) throws IOException {
    try {
      List<String> restored = place.restored("restored", new RestoreTarget.Latest());
      int first = texts.indexOf(restored.getFirst()); // that of an image
      assertThat(restored)
          .describedAs(name)
          .isEqualTo(texts.subList(first, first + restored.size()));
    } catch (ArchiveException e) {
      assertThat(place.directory.resolve("restored")).doesNotExist();
    }
    FileTree.delete(new FileDisk(), place.directory.resolve("restored"));
  }

  @Test
  void damageOutsideOfTheNewestLineageLosesEarlierMomentsOnly() throws IOException {
    archive();
    place.archive.damage(
        "journal/0000000000000002/0000000000000005.chunk", bytes -> flipped(bytes, 100));
    assertThat(findings()).extracting(Finding::severity).containsOnly(Severity.WARNING);
    assertThat(place.restored("restored", new RestoreTarget.Latest())).isEqualTo(texts);
    place.archive.damage(
        "journal/0000000000000001/0000000000000002.chunk", bytes -> flipped(bytes, 100));
    assertThat(findings())
        .anyMatch(
            each ->
                each.severity() == Severity.ERROR
                    && each.kind() == FindingKind.ARCHIVE_ENTRY_DAMAGED
                    && each.lost().equals("Every moment from position 2 on."));
  }
}
