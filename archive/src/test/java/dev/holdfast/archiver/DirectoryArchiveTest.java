package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory as a store. */
final class DirectoryArchiveTest {

  @TempDir Path directory;

  private ArchiveStore store() {
    return new DirectoryArchive(directory.resolve("store"));
  }

  private static boolean put(ArchiveStore store, String name, String text) throws IOException {
    return store.putIfAbsent(name, ArchiveContent.of(text.getBytes(UTF_8)));
  }

  private static String text(ArchiveStore store, String name) throws IOException {
    try (InputStream content = store.open(name)) {
      return content == null ? "nothing" : new String(content.readAllBytes(), UTF_8);
    }
  }

  @Test
  void entryIsAddedOnceAndNeverChanges() throws IOException {
    assertThat(text(store(), "a/b")).isEqualTo("nothing");
    assertThat(put(store(), "a/b", "first")).isTrue();
    assertThat(put(store(), "a/b", "second")).isFalse();
    assertThat(text(store(), "a/b")).isEqualTo("first");
    store().delete("a/b");
    store().delete("a/b");
    assertThat(put(store(), "a/b", "third")).isTrue();
  }

  @Test
  void oneOfManyWritersAddsAnEntry() throws Exception {
    List<Callable<Boolean>> writers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      String text = "writer " + i;
      writers.add(() -> put(store(), "generations/1", text));
    }
    int added = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (Future<Boolean> each : threads.invokeAll(writers)) {
        added += each.get() ? 1 : 0;
      }
    }
    assertThat(added).isEqualTo(1);
    assertThat(text(store(), "generations/1")).startsWith("writer ");
  }

  @Test
  void entriesAreListedInTheOrderOfTheirNames() throws IOException {
    for (String name : List.of("b/2", "a", "b/10", "b.c", "b/1/x", "c")) {
      put(store(), name, name);
    }
    Files.write(directory.resolve("store/b/3~0"), new byte[9]); // a machine failed while writing
    assertThat(store().list("", "", 100))
        .extracting(ArchiveEntry::name)
        .containsExactly("a", "b.c", "b/1/x", "b/10", "b/2", "c");
    assertThat(store().list("b/", "", 2))
        .containsExactly(new ArchiveEntry("b/1/x", 5), new ArchiveEntry("b/10", 4));
    assertThat(store().list("b/", "b/10", 2)).extracting(ArchiveEntry::name).containsExactly("b/2");
    assertThat(store().list("b/1", "", 9)).hasSize(2);
    assertThat(store().list("d/", "", 9)).isEmpty();
    assertThat(put(store(), "b/3", "3")).isTrue();
  }

  @Test
  void nameThatLeavesTheDirectoryIsRefused() {
    for (String name : List.of("../a", "/a", "a/../../b", "a~0", "", "a//b", "A")) {
      assertThatThrownBy(() -> put(store(), name, "x"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(directory.resolve("store")).doesNotExist();
  }
}
