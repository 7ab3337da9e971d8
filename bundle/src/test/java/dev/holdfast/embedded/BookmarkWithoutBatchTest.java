package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bookmarks of turns that run a write and change nothing by it: the batch that such a bookmark
 * counts on never comes.
 */
final class BookmarkWithoutBatchTest {

  @TempDir private Path directory;

  private ObjectRuntime open(String name) {
    return Holdfast.open(
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

  /** {@return a bookmark, asked for behind a statement that meets no row} */
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

  /** What a killed process leaves: what it has written to files, and nothing else. */
  private void copyAsKilled(String from, String to) throws IOException {
    Path source = directory.resolve(from);
    try (Stream<Path> paths = Files.walk(source)) {
      for (Path path : paths.toList()) {
        Path target = directory.resolve(to).resolve(source.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  @Test
  void namesTheSameStateAfterACrash() throws IOException {
    String bookmark;
    try (ObjectRuntime runtime = open("live")) {
      makeTable(runtime);
      // Unconfirmed, so not on the disk: their positions are given again after the crash.
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
}
