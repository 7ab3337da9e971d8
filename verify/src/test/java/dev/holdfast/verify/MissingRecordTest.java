package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.DroppedRecord;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.verify.SampleDirectory.Notes;
import java.io.IOException;
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
  private void write(Path data, String namespace) {
    try (ObjectRuntime runtime = SampleDirectory.open(data, true)) {
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
        moments.add(
            new Moment(past.history(1).entries().getFirst().bookmark(), subject.content()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "pairs"})
  void anyMissingRecordIsFoundByEachWayToThePast(String namespace) throws IOException {
    Path data = parent.resolve("data");
    write(data, namespace);
    List<DroppedRecord.Found> records =
        DroppedRecord.all(data.resolve("journal")).stream()
            .filter(each -> each.isChained() && each.namespace().equals(namespace))
            .filter(each -> each.viewId() < 16)
            .toList();
    String subject = records.getFirst().id();
    List<Long> positions =
        records.stream()
            .filter(each -> each.id().equals(subject))
            .map(DroppedRecord.Found::position)
            .toList();
    assertThat(positions).hasSizeGreaterThanOrEqualTo(moments.size());
    requireStates(data, namespace, Long.MIN_VALUE);
    for (long dropped : positions) {
      Path damaged = parent.resolve("without-" + dropped);
      SampleDirectory.copyAtRest(data, damaged);
      DroppedRecord.drop(damaged.resolve("journal"), dropped);
      assertThat(Verification.run(damaged, parent, false).findings())
          .as("verify without record %s", dropped)
          .extracting(Finding::kind)
          .contains(FindingKind.HISTORY_INCOMPLETE);
      requireStates(damaged, namespace, dropped);
      ScratchDirectory.delete(damaged);
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
        require(
            what + "diff", isRefused, () -> past.diff(moment.bookmark(), moment.bookmark()));
      }
      assertThat(notes.getByName("subject").content()).isEqualTo(present.content());
      Moment target =
          moments.stream().filter(each -> each.position() < dropped).reduce((_, b) -> b).orElse(null);
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
