package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.FaultyStore.Fault;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Whatever its store does, an archive is a prefix of the journal, without a gap. */
final class ArchiveFaultsTest {

  /** What happens to a runtime and its archive. */
  private sealed interface Step {

    record Write(int count) implements Step {}

    record Run(List<Fault> faults) implements Step {}

    record Reopen() implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> write = Arbitraries.integers().between(1, 40).map(Step.Write::new);
    Arbitrary<Step> run = Arbitraries.of(Fault.class).list().ofMaxSize(8).map(Step.Run::new);
    Arbitrary<Step> reopen = Arbitraries.just(new Step.Reopen());
    return Arbitraries.frequencyOf(Tuple.of(4, write), Tuple.of(6, run), Tuple.of(1, reopen))
        .list()
        .ofMaxSize(20);
  }

  @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
  void whateverTheStoreDoesTheArchiveIsTheJournalUpToItsPosition(
      @ForAll("steps") List<Step> steps, @ForAll boolean hasImages) throws IOException {
    try (ArchivedJournals place = new ArchivedJournals()) {
      ArchiveOptions options = ArchiveOptions.to(place.store);
      run(place, steps, hasImages ? options.withBaseBytes(1).withBasesMax(2) : options);
    }
  }

  private static void run(ArchivedJournals place, List<Step> steps, ArchiveOptions options)
      throws IOException {
    List<String> texts = new ArrayList<>();
    ArchivedJournals.Opened opened = place.open("data");
    ArchiveWriter writer = opened.writer(options);
    for (Step step : steps) {
      switch (step) {
        case Step.Write(int count) -> {
          place.clock.advance(Duration.ofSeconds(1));
          for (int i = 0; i < count; i++) {
            texts.add("record " + texts.size());
            opened.write(texts.getLast());
          }
        }
        case Step.Run(List<Fault> faults) -> {
          place.store.then(faults);
          try {
            writer.run();
          } catch (IOException e) {
            assertThat(e)
                .hasMessageContainingAll(""); // as after any failure, the next call goes on
          }
        }
        case Step.Reopen() -> {
          opened.close();
          opened = place.open("data");
          writer = opened.writer(options);
        }
      }
    }
    long archived = writer.position();
    assertThat(archived).isLessThanOrEqualTo(texts.size());
    if (archived > 0) {
      assertRestored(
          texts.subList(0, (int) archived),
          place.restored("early", new RestoreTarget.AtPosition(archived)),
          place);
    }
    opened.write("the last");
    texts.add("the last");
    runUntilArchived(writer, texts.size());
    opened.close();
    assertRestored(texts, place.restored("restored", new RestoreTarget.Latest()), place);
    assertThat(ArchiveCheck.run(place.archive, Path.of("store")).findings()).isEmpty();
  }

  /** Everything, or what an image needs and all that follows. */
  private static void assertRestored(
      List<String> expected, List<String> restored, ArchivedJournals place) {
    boolean hasImages = place.archive.names().stream().anyMatch(name -> name.endsWith(".base"));
    int first = hasImages ? expected.size() - restored.size() : 0;
    assertThat(restored).isNotEmpty().isEqualTo(expected.subList(first, expected.size()));
  }

  /** The script of faults ends. */
  private static void runUntilArchived(ArchiveWriter writer, long position) {
    IOException last = null;
    for (int i = 0; i < 500 && writer.position() < position; i++) {
      try {
        writer.run();
      } catch (IOException e) {
        last = e;
      }
    }
    assertThat(writer.position())
        .withFailMessage("%s, %s, %s", writer.state(), writer.reason(), last)
        .isEqualTo(position);
  }

  @Property(tries = 40)
  void whatWasArchivedWhenEverythingIsLostIsRestored(
      @ForAll @IntRange(min = 3, max = 60) int operations,
      @ForAll @IntRange(min = 1, max = 30) int perRun)
      throws IOException {
    try (ArchivedJournals place = new ArchivedJournals()) {
      runUntilLost(place, operations, perRun);
    }
  }

  private static void runUntilLost(ArchivedJournals place, int operations, int perRun)
      throws IOException {
    List<String> texts = new ArrayList<>();
    long archived = 0;
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      place.store.dieAfter(operations);
      boolean isAlive = true;
      while (isAlive) {
        for (int i = 0; i < perRun; i++) {
          texts.add("record " + texts.size());
          opened.write(texts.getLast());
        }
        try {
          writer.run();
          assertThat(writer.position()).isEqualTo(texts.size());
        } catch (IOException e) {
          isAlive = false;
        }
        archived = writer.position();
      }
    }
    FileTree.delete(new FileDisk(), place.directory.resolve("data"));
    if (archived > 0) {
      List<String> restored = place.restored("restored", new RestoreTarget.Latest());
      assertThat(restored.size()).isGreaterThanOrEqualTo((int) archived);
      assertThat(restored).isEqualTo(texts.subList(0, restored.size()));
    }
  }
}
