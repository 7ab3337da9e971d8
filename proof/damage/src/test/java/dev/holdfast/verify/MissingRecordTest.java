package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.DroppedRecord;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.testkit.VirtualClock;
import dev.holdfast.verify.SampleDirectory.Notes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Any record of an object between its present and an earlier state is missed if it is dropped: that
 * state is refused by each way to it, and never another one is given out in its place.
 */
final class MissingRecordTest {

  @TempDir private Path parent;

  /** A state of the object. */
  private record Moment(String bookmark, Map<String, String> content) {

    /** By the format of bookmarks: the position up to which batches belong to it. */
    long position() {
      return Long.parseLong(bookmark.replace("-", "").substring(12, 24), 16) >> 1;
    }
  }

  private final List<Moment> moments = new ArrayList<>();

  /** Changes an object in every way: it is deleted with parts, made again and restored. */
  private void write(Path data, String namespace, RuntimeOptions options) {
    try (ObjectRuntime runtime = SampleDirectory.open(data, true, new VirtualClock(), options)) {
      ObjectNamespace<Notes> notes = runtime.namespace(namespace, Notes.class);
      Notes subject = notes.getByName("subject");
      ObjectId id = notes.idFromName("subject");
      ObjectRecovery past = runtime.recovery(namespace, id);
      List<Runnable> steps =
          List.of(
              () -> subject.put("a", "1"),
              () -> subject.put("a", "2"),
              () -> subject.fill("b", 300, 10),
              subject::clear,
              () -> subject.put("c", "3"),
              () ->
                  runtime
                      .admin()
                      .restoreNow(namespace, id, past.history(10).entries().get(2).bookmark()),
              () -> subject.put("a", "4"));
      for (Runnable step : steps) {
        step.run();
        notes.getByName("other").put("x", "y");
        moments.add(new Moment(past.history(1).entries().getFirst().bookmark(), subject.content()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "pairs"})
  void anyMissingRecordIsFoundByEachWayToThePast(String namespace) throws IOException {
    Path data = parent.resolve("data");
    write(data, namespace, RuntimeOptions.DEFAULT);
    List<Long> positions = positions(data.resolve("journal"), namespace);
    requireStates(data, namespace, Long.MIN_VALUE);
    for (long dropped : positions) {
      Path damaged = parent.resolve("without-" + dropped);
      CopyAtRest.of(data, damaged);
      DroppedRecord.drop(damaged.resolve("journal"), dropped);
      assertThat(Verification.run(damaged, parent, false).findings())
          .as("verify without record %s", dropped)
          .extracting(Finding::kind)
          .contains(FindingKind.HISTORY_INCOMPLETE);
      requireNoneOfTheWhole(damaged, dropped);
      requireStates(damaged, namespace, dropped);
      FileTree.delete(new FileDisk(), damaged);
    }
  }

  /** The state of everything at the last moment before the record needs its undo. */
  private void requireNoneOfTheWhole(Path damaged, long dropped) throws IOException {
    Moment target =
        moments.stream().filter(each -> each.position() < dropped).reduce((_, b) -> b).orElse(null);
    if (target == null) {
      return;
    }
    Path restored = parent.resolve("restored-whole");
    RestoreTarget moment = new RestoreTarget.AtPosition(target.position());
    assertThatThrownBy(() -> Holdfast.restore(damaged, restored, RestoreRequest.of(moment)))
        .as("restore of everything without record %s, to %s", dropped, target.position())
        .isInstanceOf(HoldfastException.class);
    deleteIfThere(restored);
  }

  private static void deleteIfThere(Path directory) throws IOException {
    if (Files.exists(directory)) {
      FileTree.delete(new FileDisk(), directory);
    }
  }

  /** The records that change the object, which is the first one that is written. */
  private List<Long> positions(Path journal, String namespace) throws IOException {
    List<DroppedRecord.Found> records =
        DroppedRecord.all(journal).stream()
            .filter(each -> each.isChained() && each.namespace().equals(namespace))
            .toList();
    String subject = records.getFirst().id();
    List<Long> positions =
        records.stream()
            .filter(each -> each.id().equals(subject))
            .map(DroppedRecord.Found::position)
            .toList();
    assertThat(positions).hasSizeGreaterThanOrEqualTo(moments.size());
    return positions;
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "pairs"})
  void anyMissingRecordIsFoundByTheRestoreFromAnArchive(String namespace) throws IOException {
    Path archive = parent.resolve("archive");
    write(
        parent.resolve("data"),
        namespace,
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(new DirectoryArchive(archive))));
    Path chunks = archive.resolve("journal/0000000000000001");
    List<Long> positions = positions(chunks, namespace);
    for (long dropped : positions) {
      Path damaged = parent.resolve("archive-without-" + dropped);
      SampleDirectory.copy(archive, damaged);
      DroppedRecord.drop(damaged.resolve("journal/0000000000000001"), dropped);
      for (Moment moment : moments) {
        boolean isNeeded = dropped <= moment.position();
        Path restored = parent.resolve("restored");
        RuntimeException refusal = null;
        try {
          Holdfast.restore(
              new DirectoryArchive(damaged),
              restored,
              RestoreRequest.of(new RestoreTarget.AtPosition(moment.position())));
          try (ObjectRuntime runtime = SampleDirectory.open(restored, true)) {
            assertThat(runtime.namespace(namespace, Notes.class).getByName("subject").content())
                .isEqualTo(moment.content());
          }
        } catch (HoldfastException e) {
          refusal = e;
        }
        assertThat(refusal != null)
            .as("without %s, at %s: %s", dropped, moment.position(), refusal)
            .isEqualTo(isNeeded);
        deleteIfThere(restored);
      }
    }
  }

  private void requireStates(Path data, String namespace, long dropped) {
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
      ObjectNamespace<Notes> notes = runtime.namespace(namespace, Notes.class);
      ObjectId id = notes.idFromName("subject");
      ObjectRecovery past = runtime.recovery(namespace, id);
      Moment present = moments.getLast();
      assertThat(notes.getByName("subject").content()).isEqualTo(present.content());
      long last = present.position();
      for (Moment moment : moments) {
        boolean isRefused = dropped > moment.position() || dropped == last;
        String what = "without record " + dropped + ", to " + moment.position() + ": ";
        String name = "fork-" + moment.position() + "-" + dropped;
        require(
            what + "fork",
            isRefused,
            () -> {
              past.fork(moment.bookmark(), name);
              assertThat(notes.getByName(name).content()).isEqualTo(moment.content());
            });
        require(what + "diff", isRefused, () -> past.diff(moment.bookmark(), moment.bookmark()));
      }
      assertThat(notes.getByName("subject").content()).isEqualTo(present.content());
      Moment target =
          moments.stream()
              .filter(each -> each.position() < dropped)
              .reduce((_, b) -> b)
              .orElse(null);
      if (target != null) {
        require(
            "without record " + dropped + ": restore",
            true,
            () -> runtime.admin().restoreNow(namespace, id, target.bookmark()));
        assertThat(notes.getByName("subject").content()).isEqualTo(present.content());
      }
    }
  }

  private static void require(String what, boolean isRefused, Runnable way) {
    HoldfastException refusal = null;
    try {
      way.run();
    } catch (BookmarkException | StorageFailedException e) {
      refusal = e;
    }
    assertThat(refusal != null).as("%s: %s", what, refusal).isEqualTo(isRefused);
  }
}
