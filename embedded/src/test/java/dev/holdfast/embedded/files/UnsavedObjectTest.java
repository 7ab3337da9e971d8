package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.faults.CopyAtRest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small object before its first save: it is in the journal only, and has no file. */
final class UnsavedObjectTest {

  @TempDir private Path directory;

  private static ObjectRuntime open(Path data) {
    return Holdfast.open(data, objects -> objects.namespace("notes", Scripted.class, Scripted::of));
  }

  private ObjectRuntime openWithObject() throws IOException {
    ObjectRuntime runtime = open(directory.resolve("data"));
    put(runtime, "a");
    requireNoFile();
    return runtime;
  }

  private static void put(ObjectRuntime runtime, String value) {
    in(
        runtime.namespace("notes", Scripted.class).getByName("new"),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static String get(ObjectRuntime runtime, String name) {
    return in(
        runtime.namespace("notes", Scripted.class).getByName(name),
        context -> context.storage().get("key", String.class).orElse("nothing"));
  }

  private static ObjectId id(ObjectRuntime runtime) {
    return runtime.namespace("notes", Scripted.class).idFromName("new");
  }

  private void requireNoFile() throws IOException {
    Path files = directory.resolve("data/sqlite/notes");
    if (Files.exists(files)) {
      try (Stream<Path> all = Files.walk(files)) {
        assertThat(all.filter(Files::isRegularFile)).isEmpty();
      }
    }
  }

  @Test
  void isListedAndHasASize() throws IOException {
    try (ObjectRuntime runtime = openWithObject()) {
      assertThat(runtime.namespace("notes", Scripted.class).list(ObjectListOptions.ALL).items())
          .containsExactly(id(runtime));
      assertThat(runtime.admin().exists("notes", id(runtime))).isTrue();
      assertThat(runtime.admin().size("notes", id(runtime))).isPositive();
      requireNoFile();
    }
  }

  @Test
  void isEvictedAndReadAgain() throws IOException {
    try (ObjectRuntime runtime = openWithObject()) {
      assertThat(runtime.admin().evict("notes", id(runtime))).isTrue();
      requireNoFile();
      assertThat(get(runtime, "new")).isEqualTo("a");
    }
  }

  /** As a kill leaves it: what was acknowledged is only in the journal. */
  @Test
  void isThereAfterAKill() throws IOException {
    Path killed = directory.resolve("killed");
    try (ObjectRuntime runtime = openWithObject()) {
      assertThat(runtime.admin().evict("notes", id(runtime))).isTrue();
      put(runtime, "b");
      requireNoFile();
      CopyAtRest.of(directory.resolve("data"), killed);
    }
    try (ObjectRuntime restored = open(killed)) {
      assertThat(restored.namespace("notes", Scripted.class).list(ObjectListOptions.ALL).items())
          .containsExactly(id(restored));
      assertThat(get(restored, "new")).isEqualTo("b");
    }
  }

  @Test
  void isInABackup() throws IOException {
    Path target = directory.resolve("target");
    try (ObjectRuntime runtime = openWithObject()) {
      runtime.backup(target);
      put(runtime, "later");
    }
    try (ObjectRuntime restored = open(target)) {
      assertThat(restored.namespace("notes", Scripted.class).list(ObjectListOptions.ALL).items())
          .containsExactly(id(restored));
      assertThat(get(restored, "new")).isEqualTo("a");
    }
  }

  @Test
  void isExported() throws IOException {
    Path file = directory.resolve("new.sqlite");
    try (ObjectRuntime runtime = openWithObject()) {
      runtime.recovery("notes", id(runtime)).exportTo(file);
      ObjectId other = runtime.namespace("notes", Scripted.class).idFromName("other");
      runtime.recovery("notes", other).importFrom(file);
      assertThat(get(runtime, "other")).isEqualTo("a");
    }
  }

  @Test
  void isForked() throws IOException {
    try (ObjectRuntime runtime = openWithObject()) {
      String before =
          in(
              runtime.namespace("notes", Scripted.class).getByName("new"),
              context -> context.storage().getCurrentBookmark());
      put(runtime, "b");
      requireNoFile();
      runtime.recovery("notes", id(runtime)).fork(before, "copy");
      assertThat(get(runtime, "copy")).isEqualTo("a");
      assertThat(get(runtime, "new")).isEqualTo("b");
    }
  }
}
