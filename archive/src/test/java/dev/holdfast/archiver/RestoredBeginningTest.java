package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreTarget.AtTime;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.journal.file.SegmentHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A restored journal gives out no moment that the archived one does not have. */
final class RestoredBeginningTest {

  private static final Duration LATER = Duration.ofMinutes(1);

  private final ArchivedJournals place = new ArchivedJournals();

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  private Instant now() {
    return Instant.ofEpochMilli(place.clock.wallMillis());
  }

  /** Archives a journal that says a later beginning than its first records. */
  private void archive(Instant begun) throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.copyLag = 2; // the image needs the records
      ArchiveWriter writer = opened.writer(ArchiveOptions.to(place.store).withBaseBytes(1));
      writer.run();
      assertThat(writer.statistics().basePosition()).isEqualTo(4);
      assertThat(opened.journal.history().oldestPosition()).isEqualTo(3);
      assertThat(opened.journal.history().oldestWallMillis())
          .isIn(begun.toEpochMilli(), Long.MAX_VALUE);
    }
  }

  @Test
  void beginningOfADividedJournalIsKept() throws IOException {
    Instant begun = now().plus(LATER);
    place.divided("data", begun, List.of("1", "2"));
    place.clock.advance(LATER.multipliedBy(2));
    archive(begun);
    assertThat(place.restored("restored", new Latest())).containsExactly("1", "2");
    try (ArchivedJournals.Opened restored = place.open("restored")) {
      assertThat(restored.journal.history().oldestPosition()).isEqualTo(3);
      assertThat(restored.journal.history().oldestWallMillis())
          .isGreaterThanOrEqualTo(begun.toEpochMilli());
    }
  }

  /** The clock of its node may be behind those of the nodes that had the sources. */
  @Test
  void beginningIsKeptBehindAnImageFromBeforeIt() throws IOException {
    Instant begun = now().plus(LATER);
    place.divided("data", begun, List.of("1", "2"));
    place.clock.advance(Duration.ofSeconds(1));
    archive(begun);
    place.clock.advance(LATER.multipliedBy(2));
    assertThat(place.restored("restored", new AtTime(begun))).containsExactly("1", "2");
    try (ArchivedJournals.Opened restored = place.open("restored")) {
      assertThat(restored.journal.history().oldestWallMillis()).isEqualTo(begun.toEpochMilli());
    }
  }

  /** It has records from before its image, and may lack others from before it. */
  @Test
  void momentsBeforeTheImageAreNotThoseOfTheDirectory() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.copyLag = 2;
      ArchiveWriter writer = opened.writer(ArchiveOptions.to(place.store).withBaseBytes(1));
      for (String text : List.of("1", "2", "3")) {
        opened.write(text);
        place.clock.advance(LATER);
      }
      writer.run();
      assertThat(writer.statistics().basePosition()).isEqualTo(3);
    }
    Instant image = now();
    place.clock.advance(LATER);
    assertThat(place.restored("restored", new Latest())).containsExactly("2", "3");
    try (ArchivedJournals.Opened restored = place.open("restored")) {
      assertThat(restored.journal.history().oldestWallMillis()).isEqualTo(image.toEpochMilli());
    }
  }

  @Test
  void restoredJournalHasTheSegmentsOfTheArchivedOne() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      for (int i = 0; i < 7; i++) {
        opened.write("x".repeat(3_000));
        place.clock.advance(LATER);
        writer.run();
      }
    }
    List<String> segments = segments("data");
    assertThat(segments).hasSizeGreaterThan(2);
    assertThat(place.restored("restored", new Latest())).hasSize(7);
    assertThat(segments("restored")).isEqualTo(segments);
  }

  private List<String> segments(String name) throws IOException {
    Path directory = place.directory.resolve(name).resolve("journal");
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .sorted()
          .map(RestoredBeginningTest::beginning)
          .toList();
    }
  }

  private static String beginning(Path segment) {
    try {
      SegmentHeader header = SegmentHeader.decode(Files.readAllBytes(segment));
      return header.firstPosition() + " at " + Instant.ofEpochMilli(header.wallMillis());
    } catch (IOException e) {
      throw new AssertionError(Objects.toString(segment), e);
    }
  }
}
