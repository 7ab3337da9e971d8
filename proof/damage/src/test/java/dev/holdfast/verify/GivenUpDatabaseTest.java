package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.testkit.VirtualClock;
import dev.holdfast.verify.SampleDirectory.Notes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * After an operator has given up the data of RocksDB, no state from before is given out, and none
 * in its place: neither one of an object nor one of everything, whatever was written last.
 */
final class GivenUpDatabaseTest {

  private static final String NOTHING = "{(alarm)=Optional.empty}";

  @TempDir private Path parent;

  private Path data() {
    return parent.resolve("data");
  }

  private ObjectRuntime open() {
    return SampleDirectory.open(
        data(),
        true,
        new VirtualClock(),
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(parent.resolve("archive")))));
  }

  private static Notes pairs(ObjectRuntime runtime, String name) {
    return runtime.namespace("pairs", Notes.class).getByName(name);
  }

  private static ObjectRecovery past(ObjectRuntime runtime, String name) {
    return runtime.recovery("pairs", runtime.namespace("pairs", Notes.class).idFromName(name));
  }

  private static String last(ObjectRuntime runtime, String name) {
    return past(runtime, name).history(1).entries().getFirst().bookmark();
  }

  private static long positionOf(String bookmark) {
    return Long.parseLong(bookmark.replace("-", "").substring(12, 24), 16) >> 1;
  }

  private void giveUp() throws IOException {
    FileTree.delete(new FileDisk(), data().resolve("rocksdb"));
    Files.writeString(data().resolve("rocksdb.flushed"), "give up");
  }

  /** Of what both objects have, only what the first one gets at the end is left. */
  private void writeGiveUpAndWrite() throws IOException {
    try (ObjectRuntime runtime = open()) {
      pairs(runtime, "a").put("key", "one");
      pairs(runtime, "other").put("key", "one");
    }
    giveUp();
    try (ObjectRuntime runtime = open()) {
      pairs(runtime, "a").put("other", "two");
    }
  }

  private static void requireWhatIsLeft(ObjectRuntime runtime) {
    assertThat(pairs(runtime, "a").content()).containsEntry("other", "two").hasSize(2);
    assertThat(pairs(runtime, "other").content()).hasToString(NOTHING);
  }

  @Test
  void noStateFromBeforeIsGivenOut() throws IOException {
    String first;
    String second;
    try (ObjectRuntime runtime = open()) {
      pairs(runtime, "a").put("key", "one");
      first = last(runtime, "a");
      pairs(runtime, "other").put("key", "one");
      pairs(runtime, "a").put("key", "two");
      second = last(runtime, "a");
    }
    giveUp();
    String third;
    try (ObjectRuntime runtime = open()) {
      requireNone(runtime, List.of(first, second), "before a write");
      assertThat(pairs(runtime, "a").content()).hasToString(NOTHING);
      pairs(runtime, "a").put("key", "three");
      third = last(runtime, "a");
      requireNone(runtime, List.of(first, second), "after a write");
    }
    try (ObjectRuntime runtime = open()) {
      pairs(runtime, "a").put("key", "four");
      requireNone(runtime, List.of(first, second), "after a reopening");
      past(runtime, "a").fork(third, "fork");
      assertThat(pairs(runtime, "fork").content()).containsEntry("key", "three");
      assertThat(pairs(runtime, "other").content()).hasToString(NOTHING);
    }
    assertThat(Verification.run(data(), parent, /* isDeep= */ true).findings())
        .extracting(Finding::meaning)
        .isEmpty();
    requireNoneOfEverything(positionOf(first));
    requireNoneOfEverything(positionOf(second));
    assertThat(restored(new RestoreTarget.AtPosition(positionOf(third))))
        .containsEntry("key", "three");
  }

  private static void requireNone(ObjectRuntime runtime, List<String> bookmarks, String when) {
    ObjectNamespace<Notes> pairs = runtime.namespace("pairs", Notes.class);
    for (String bookmark : bookmarks) {
      assertThatThrownBy(() -> past(runtime, "a").fork(bookmark, "none"))
          .as("fork %s", when)
          .isInstanceOf(HoldfastException.class);
      assertThatThrownBy(() -> runtime.admin().restoreNow("pairs", pairs.idFromName("a"), bookmark))
          .as("restore %s", when)
          .isInstanceOf(HoldfastException.class);
    }
  }

  private void requireNoneOfEverything(long position) {
    assertThatThrownBy(
            () ->
                Holdfast.restore(
                    data(),
                    parent.resolve("whole"),
                    RestoreRequest.of(new RestoreTarget.AtPosition(position))))
        .isInstanceOf(HoldfastException.class);
  }

  private Map<String, String> restored(RestoreTarget target) {
    Path whole = parent.resolve("whole");
    Holdfast.restore(data(), whole, RestoreRequest.of(target));
    try (ObjectRuntime runtime = SampleDirectory.open(whole, true)) {
      return pairs(runtime, "a").content();
    }
  }

  /** The archive has the records of before, and an image of then. */
  @Test
  void restoreFromAnArchiveHasWhatTheDirectoryHas() throws IOException {
    writeGiveUpAndWrite();
    Path restored = parent.resolve("restored");
    Holdfast.restore(
        new DirectoryArchive(parent.resolve("archive")),
        restored,
        RestoreRequest.of(new RestoreTarget.Latest()));
    try (ObjectRuntime runtime = SampleDirectory.open(restored, true)) {
      requireWhatIsLeft(runtime);
    }
  }

  /** The note about all objects belongs to the selected ones. */
  @Test
  void restoreOfSomeObjectsFromAnArchiveHasNoneOfItEither() throws IOException {
    writeGiveUpAndWrite();
    RestoreRequest latest = RestoreRequest.of(new RestoreTarget.Latest());
    Map<String, RestoreRequest> requests =
        Map.of(
            "namespace", latest.withNamespace("pairs"),
            "written", latest.withObject("pairs", "a"),
            "lost", latest.withObject("pairs", "other"));
    requests.forEach(
        (name, request) -> {
          Path restored = parent.resolve(name);
          Holdfast.restore(new DirectoryArchive(parent.resolve("archive")), restored, request);
          try (ObjectRuntime runtime = SampleDirectory.open(restored, true)) {
            if (!name.equals("lost")) {
              assertThat(pairs(runtime, "a").content()).containsEntry("other", "two").hasSize(2);
            }
            assertThat(pairs(runtime, "other").content()).as(name).hasToString(NOTHING);
          }
        });
  }

  /** The journal has everything since its first record, and would bring the database back. */
  @Test
  void databaseThatIsRebuiltFromTheJournalHasNoneOfIt() throws IOException {
    writeGiveUpAndWrite();
    FileTree.delete(new FileDisk(), data().resolve("rocksdb"));
    try (ObjectRuntime runtime = open()) {
      requireWhatIsLeft(runtime);
    }
  }
}
