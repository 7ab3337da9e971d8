package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.Polling;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The catalog is lost when the journal has no batch of an object any more: its last one is not
 * known. The object begins another chain, which is no damage to those that read it forwards.
 */
final class CatalogLossTest {

  // Where the mark of a journal states its end, and from where on it is read at the next opening.
  private static final int END = 24;
  private static final int CLEAN_TAIL = 48;

  @TempDir private Path parent;

  private final VirtualClock clock = new VirtualClock();

  private static SampleDirectory.Notes note(ObjectRuntime runtime, String name) {
    return runtime.namespace("notes", SampleDirectory.Notes.class).getByName(name);
  }

  private void archiveAll(ObjectRuntime runtime) {
    while (runtime.statistics().archive().position()
        < runtime.statistics().journal().durablePosition()) {
      clock.advance(Duration.ofSeconds(5));
      Polling.pause();
    }
  }

  @Test
  void objectBeginsAnotherChainAndTheArchiveLeadsOn() throws IOException {
    Path data = parent.resolve("data");
    DirectoryArchive archive = new DirectoryArchive(parent.resolve("archive"));
    RuntimeOptions options =
        RuntimeOptions.DEFAULT
            .withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0))
            .withHistoryBytesMax(0)
            .withArchive(ArchiveOptions.to(archive).withLateMax(Duration.ofDays(365)));
    try (ObjectRuntime runtime = SampleDirectory.open(data, true, clock, options)) {
      note(runtime, "forgotten").put("first", "1");
      archiveAll(runtime);
    }
    for (int opening = 0; opening < 2; opening++) {
      try (ObjectRuntime runtime = SampleDirectory.open(data, true, clock, options)) {
        for (int each = 0; each < 6; each++) {
          note(runtime, "other").fill(opening + "-" + each, 40, 100_000);
          note(runtime, "other").clear();
        }
        archiveAll(runtime);
      }
    }
    deleteCatalog(data);
    try (ObjectRuntime runtime = SampleDirectory.open(data, true, clock, options)) {
      assertThat(past(runtime, "forgotten").history(1).entries()).isEmpty();
      note(runtime, "forgotten").put("second", "2");
      archiveAll(runtime);
    }
    assertThat(Verification.run(data, parent, true).findings()).isEmpty();
    Path restored = parent.resolve("restored");
    Holdfast.restore(archive, restored, RestoreRequest.of(new RestoreTarget.Latest()));
    try (ObjectRuntime runtime =
        SampleDirectory.open(restored, true, clock, RuntimeOptions.DEFAULT)) {
      assertThat(note(runtime, "forgotten").content())
          .containsEntry("first", "1")
          .containsEntry("second", "2");
    }
  }

  /** Nothing but the history knows the object any more, and its next batch names none. */
  @Test
  void statesBeforeAnObjectThatWasLostWithTheCatalogAreRefused() throws IOException {
    Path data = parent.resolve("data");
    Lost lost;
    try (ObjectRuntime runtime = open(data)) {
      lost = write(runtime);
    }
    long end = inMark(data, END);
    while (inMark(data, CLEAN_TAIL) <= end) { // else recovery would learn of it
      try (ObjectRuntime runtime = open(data)) {
        note(runtime, "other").put("later", "1");
      }
    }
    deleteCatalog(data);
    Files.delete(data.resolve(lost.file()));
    try (ObjectRuntime runtime = open(data)) {
      note(runtime, "lost").put("second", "2");
      assertThatThrownBy(() -> past(runtime, "lost").fork(lost.bookmark(), "fork"))
          .isInstanceOfSatisfying(
              BookmarkException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.HISTORY_INCOMPLETE));
    }
  }

  /** The journal has the object since its first batch, and recovery makes its file again. */
  @Test
  void objectThatRecoveryMakesAgainHasItsStates() throws IOException {
    Path killed = parent.resolve("killed");
    Lost lost;
    try (ObjectRuntime runtime = open(parent.resolve("data"))) {
      lost = write(runtime);
      // The clock stands still, so nothing was saved.
      CopyAtRest.of(parent.resolve("data"), killed);
    }
    deleteCatalog(killed);
    Files.deleteIfExists(killed.resolve(lost.file()));
    try (ObjectRuntime runtime = open(killed)) {
      note(runtime, "lost").put("second", "2");
      past(runtime, "lost").fork(lost.bookmark(), "fork");
      assertThat(note(runtime, "fork").content())
          .containsEntry("first", "1")
          .doesNotContainKey("second");
    }
  }

  /** An object that was written once. */
  private record Lost(String bookmark, String file) {}

  private ObjectRuntime open(Path data) {
    return SampleDirectory.open(data, true, clock, RuntimeOptions.DEFAULT);
  }

  private static Lost write(ObjectRuntime runtime) {
    note(runtime, "other").put("first", "1");
    note(runtime, "lost").put("first", "1");
    String id =
        runtime.namespace("notes", SampleDirectory.Notes.class).idFromName("lost").toString();
    return new Lost(
        past(runtime, "lost").history(1).entries().getFirst().bookmark(),
        "sqlite/notes/" + id.substring(0, 3) + "/" + id + ".sqlite");
  }

  private static long inMark(Path data, int offset) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(data.resolve("journal.mark"))).getLong(offset);
  }

  private static ObjectRecovery past(ObjectRuntime runtime, String name) {
    return runtime.recovery(
        "notes", runtime.namespace("notes", SampleDirectory.Notes.class).idFromName(name));
  }

  private static void deleteCatalog(Path data) throws IOException {
    Files.deleteIfExists(data.resolve("sqlite/catalog.sqlite"));
    Files.deleteIfExists(data.resolve("sqlite/catalog.sqlite-wal"));
  }
}
