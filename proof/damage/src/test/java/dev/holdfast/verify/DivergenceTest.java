package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archiver.ArchiveCheck;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a deep check finds: files and journal whose checksums are right, and that disagree. */
final class DivergenceTest {

  /** In the pages of the large object. */
  private static final String IN_A_PAGE = "x".repeat(1_000);

  @TempDir private static Path shared;
  @TempDir private Path parent;
  private Path data;

  @BeforeAll
  static void write() {
    SampleDirectory.writeClosed(shared.resolve("data"), true);
  }

  @BeforeEach
  void copy() throws IOException {
    data = parent.resolve("data");
    SampleDirectory.copy(shared.resolve("data"), data);
  }

  @Test
  void pageThatIsNotWhatTheJournalMakesOfItIsFound() throws Exception {
    PlantedDivergence.inJournal(data, "notes", IN_A_PAGE);
    assertThat(Verification.run(data, parent, false).findings()).isEmpty();
    assertThat(Verification.run(data, parent, true).findings())
        .singleElement()
        .matches(each -> each.kind() == FindingKind.OBJECT_DIFFERS && each.counts())
        .matches(each -> each.object() != null && each.object().namespace().equals("notes"))
        .extracting(Finding::meaning)
        .asString()
        .contains("differs from what the journal makes of it");
  }

  @Test
  void valueThatIsNotWhatTheJournalSaysIsFound() throws Exception {
    PlantedDivergence.inRocksDb(data, "round1");
    assertThat(Verification.run(data, parent, false).findings()).isEmpty();
    assertThat(Verification.run(data, parent, true).findings())
        .singleElement()
        .matches(each -> each.kind() == FindingKind.ROCKSDB_DIFFERS && each.counts())
        .matches(each -> each.object() != null && each.object().namespace().equals("pairs"))
        .extracting(Finding::meaning)
        .asString()
        .contains("round1\"", "it has another value");
  }

  @Test
  void archiveThatLeadsToADivergenceIsFound() throws Exception {
    Path place = parent.resolve("archive");
    archive(place);
    PlantedDivergence.inJournal(place, "pairs", "x".repeat(400));
    DirectoryArchive archive = new DirectoryArchive(place);
    ArchiveCheck.Result shallow = ArchiveCheck.run(archive, place);
    assertThat(shallow.findings()).isEmpty();
    assertThat(shallow.bases()).isPositive();
    VerifyReport deep = ArchiveVerification.run(archive, place, parent);
    assertThat(deep.lastPosition()).isEqualTo(shallow.lastPosition());
    assertThat(deep.findings())
        .singleElement()
        .matches(each -> each.kind() == FindingKind.ROCKSDB_DIFFERS && each.counts())
        .matches(each -> each.file().equals(place.resolve("rebuilt/rocksdb")));
    assertThat(parent).isDirectoryNotContaining("glob:**holdfast-verify-*");
  }

  /**
   * Archives the directory, with a base image that needs the journal before it: RocksDB has all
   * records when the image is begun, and a consumer keeps those that it has not passed.
   */
  private void archive(Path place) {
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
      runtime.consume(SampleDirectory.TOPIC, "behind", String.class, _ -> {}).close();
      SampleDirectory.write(runtime, "later");
    }
    VirtualClock clock = new VirtualClock();
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(place))
                .withBaseBytes(1)
                .withInterval(Duration.ofMillis(1))
                .withLateMax(Duration.ofDays(365)));
    try (ObjectRuntime runtime = SampleDirectory.open(data, true, clock, options)) {
      while (runtime.statistics().archive().basePosition() == 0) {
        clock.advance(Duration.ofMillis(1)); // by far not as long as the history
        Thread.onSpinWait();
      }
    }
  }
}
