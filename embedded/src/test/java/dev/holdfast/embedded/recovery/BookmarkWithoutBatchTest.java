package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.faults.DroppedRecord;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bookmarks of turns whose writes change nothing: the batch that such a bookmark refers to never
 * comes.
 */
final class BookmarkWithoutBatchTest {

  @TempDir private Path directory;

  private final AtomicReference<String> escaped = new AtomicReference<>();

  private ObjectRuntime open(String name) {
    return Runtimes.open(
        directory.resolve(name),
        new VirtualClock(),
        objects -> objects.namespace("things", Scripted.class, Scripted::of));
  }

  private static <T> T run(ObjectRuntime runtime, String name, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("things", Scripted.class).getByName(name), code);
  }

  private static String put(ObjectRuntime runtime, String name, WriteOptions options) {
    return run(
        runtime,
        name,
        context -> {
          context.storage().put("key", name, options);
          return name;
        });
  }

  private static void makeTable(ObjectRuntime runtime) {
    run(
        runtime,
        "a",
        context ->
            context.storage().sql().exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v)").toList());
  }

  /** {@return a bookmark, requested after a statement that matches no row} */
  private static String bookmarkBehindNoChange(ObjectContext context) {
    context.storage().sql().exec("UPDATE t SET v = 1 WHERE id = 7");
    return context.storage().getCurrentBookmark();
  }

  private static boolean hasKeyAfterRestore(ObjectRuntime runtime, String bookmark) {
    assertThatThrownBy(
            () ->
                run(
                    runtime,
                    "a",
                    context -> {
                      context.storage().onNextSessionRestoreBookmark(bookmark);
                      throw context.abort("to restore");
                    }))
        .isInstanceOf(InstanceResetException.class);
    return run(runtime, "a", context -> context.storage().get("key", String.class).isPresent());
  }

  /**
   * Copies what a killed process leaves: its file writes and nothing else. The journal creates its
   * next segment in the background meanwhile: a segment that has just got its name is the same as
   * none.
   */
  private void copyAsKilled(String from, String to) throws IOException {
    copy(directory.resolve(from), directory.resolve(to));
  }

  /** Not by walking the tree, which fails when a file was renamed since it was listed. */
  private static void copy(Path source, Path target) throws IOException {
    if (Files.isDirectory(source)) {
      Files.createDirectories(target);
      List<Path> listed;
      try (Stream<Path> entries = Files.list(source)) {
        // The mark first, because it is written last: an older mark beside a newer journal is a
        // valid crash state.
        listed =
            entries.sorted(Comparator.comparing(each -> !each.endsWith("journal.mark"))).toList();
      }
      for (Path each : listed) {
        copy(each, target.resolve(each.getFileName()));
      }
      return;
    }
    try {
      Files.copy(source, target);
    } catch (NoSuchFileException e) {
      assertThat(source).asString().containsAnyOf(".spare", "journal.mark.new");
    }
  }

  @Test
  void namesTheSameStateAfterACrash() throws IOException {
    String bookmark;
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      // Unconfirmed, so not on disk: their positions are assigned again after the crash.
      for (int i = 0; i < 5; i++) {
        put(runtime, "b" + i, new WriteOptions(true, false));
      }
      bookmark = run(runtime, "a", BookmarkWithoutBatchTest::bookmarkBehindNoChange);
      copyAsKilled("live", "image");
    }
    try (ObjectRuntime runtime = open("image")) {
      for (int i = 0; i < 9; i++) {
        put(runtime, "a", WriteOptions.DEFAULT);
      }
      assertThat(hasKeyAfterRestore(runtime, bookmark)).isFalse();
    }
  }

  @Test
  void firstOfTwoOfATurnNamesTheSameStateThoughOthersWroteInBetween() {
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      String first =
          run(
              runtime,
              "a",
              context -> {
                String bookmark = bookmarkBehindNoChange(context);
                CompletableFuture.runAsync(() -> put(runtime, "b", WriteOptions.DEFAULT)).join();
                bookmarkBehindNoChange(context);
                return bookmark;
              });
      put(runtime, "a", WriteOptions.DEFAULT);

      assertThat(hasKeyAfterRestore(runtime, first)).isFalse();
    }
  }

  /** Another batch of the object would pass for that of the turn. */
  @Test
  void stateIsRefusedIfTheRecordIsMissingThatNoBatchFollowed() throws IOException {
    String bookmark;
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      bookmark = run(runtime, "a", BookmarkWithoutBatchTest::bookmarkBehindNoChange);
      put(runtime, "a", WriteOptions.DEFAULT);
    }
    Path journal = directory.resolve("live/journal");
    List<Long> notes =
        DroppedRecord.all(journal).stream()
            .filter(each -> each.kind() == 6 && each.namespace().equals("things"))
            .map(DroppedRecord.Found::position)
            .toList();
    assertThat(notes).hasSize(1);
    DroppedRecord.drop(journal, notes.getFirst());

    try (ObjectRuntime runtime = open("live")) {
      BookmarkException refusal =
          catchThrowableOfType(
              BookmarkException.class,
              () ->
                  runtime
                      .recovery(
                          "things", runtime.namespace("things", Scripted.class).idFromName("a"))
                      .fork(bookmark, "fork"));
      assertThat(refusal.reason()).isEqualTo(BookmarkException.Reason.HISTORY_INCOMPLETE);
    }
  }

  /** One way for a bookmark of an open transaction to leave; the process is then killed. */
  private interface WayOut {
    void leave(ObjectContext context, ObjectRuntime runtime, String bookmark) throws Exception;
  }

  /** {@return whether the bookmark includes the writes after the crash} */
  private boolean transactionLeftBy(WayOut way) {
    try (ObjectRuntime runtime = open("live")) {
      put(runtime, "a", WriteOptions.DEFAULT);
      run(
          runtime,
          "a",
          context -> {
            context.storage().delete("key");
            return "";
          });
      run(
          runtime,
          "a",
          context ->
              context
                  .storage()
                  .transaction(
                      txn -> {
                        txn.put("inside", "x");
                        String bookmark = context.storage().getCurrentBookmark();
                        try {
                          way.leave(context, runtime, bookmark);
                        } catch (Exception e) {
                          throw new IllegalStateException(e);
                        }
                        return "committed, which the image has not seen";
                      }));
    }
    String bookmark = escaped.get();
    try (ObjectRuntime runtime = open("image")) {
      put(runtime, "a", WriteOptions.DEFAULT);
      return hasKeyAfterRestore(runtime, bookmark);
    }
  }

  private String escape(String bookmark) {
    escaped.set(bookmark);
    try {
      copyAsKilled("live", "image");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bookmark;
  }

  @Test
  void namesTheSameStateIfItLeavesAnOpenTransactionByACallToTheOutside() {
    assertThat(transactionLeftBy((context, _, bookmark) -> context.call(() -> escape(bookmark))))
        .isFalse();
  }

  @Test
  void namesTheSameStateIfItLeavesAnOpenTransactionByAnotherObject() {
    assertThat(
            transactionLeftBy(
                (_, runtime, bookmark) ->
                    run(
                        runtime,
                        "b",
                        other -> {
                          try {
                            return other.call(() -> escape(bookmark));
                          } catch (Exception e) {
                            throw new IllegalStateException(e);
                          }
                        })))
        .isFalse();
  }

  @Test
  void namesTheSameStateIfItLeavesByAnAbort() throws IOException {
    String bookmark;
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      InstanceResetException told =
          catchThrowableOfType(
              InstanceResetException.class,
              () ->
                  run(
                      runtime,
                      "a",
                      context -> {
                        context.storage().put("lost", "x");
                        throw context.abort(context.storage().getCurrentBookmark());
                      }));
      copyAsKilled("live", "image");
      bookmark = told.getMessage();
    }
    bookmark = bookmark.replaceAll(".*([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}).*", "$1");
    try (ObjectRuntime runtime = open("image")) {
      put(runtime, "a", WriteOptions.DEFAULT);
      assertThat(hasKeyAfterRestore(runtime, bookmark)).isFalse();
    }
  }

  @Test
  void namesTheSameStateIfItLeavesByASectionThatFails() throws IOException {
    InstanceResetException told;
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      told =
          catchThrowableOfType(
              InstanceResetException.class,
              () ->
                  run(
                      runtime,
                      "a",
                      context ->
                          context.blockConcurrencyWhile(
                              () -> {
                                context.storage().put("lost", "x");
                                throw new IllegalStateException(
                                    context.storage().getCurrentBookmark());
                              })));
      copyAsKilled("live", "image");
    }
    try (ObjectRuntime runtime = open("image")) {
      put(runtime, "a", WriteOptions.DEFAULT);
      assertThat(hasKeyAfterRestore(runtime, told.getCause().getMessage())).isFalse();
    }
  }

  @Test
  void namesWhatATransactionHasMadeIfNothingLeftItBeforeItsEnd() {
    try (ObjectRuntime runtime = open("live")) {
      String bookmark =
          run(
              runtime,
              "a",
              context ->
                  context
                      .storage()
                      .transaction(
                          txn -> {
                            txn.put("key", "x");
                            String current = context.storage().getCurrentBookmark();
                            context.storage().transaction(inner -> inner.get("key", String.class));
                            return current;
                          }));
      run(
          runtime,
          "a",
          context -> {
            context.storage().delete("key");
            return "";
          });

      assertThat(hasKeyAfterRestore(runtime, bookmark)).isTrue();
    }
  }
}
