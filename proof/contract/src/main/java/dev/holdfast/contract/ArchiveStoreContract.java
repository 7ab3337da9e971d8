package dev.holdfast.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What every store of archives must do. */
public abstract class ArchiveStoreContract {

  /** Creates the suite. */
  protected ArchiveStoreContract() {}

  /**
   * {@return a store of the place of this test, which is empty at first; several calls return
   * stores of one place}
   */
  protected abstract ArchiveStore store();

  /**
   * Adds an entry.
   *
   * @param store where
   * @param name its name
   * @param text its content
   * @return whether it was added
   * @throws IOException if it is unknown
   */
  protected static boolean put(ArchiveStore store, String name, String text) throws IOException {
    return store.putIfAbsent(name, ArchiveContent.of(text.getBytes(UTF_8)));
  }

  /**
   * {@return the content of an entry, or "nothing"}
   *
   * @param store where
   * @param name its name
   * @throws IOException if it cannot be read
   */
  protected static String text(ArchiveStore store, String name) throws IOException {
    try (InputStream content = store.open(name)) {
      return content == null ? "nothing" : new String(content.readAllBytes(), UTF_8);
    }
  }

  @Test
  final void entryIsAddedOnceAndNeverChanges() throws IOException {
    assertThat(text(store(), "a/b")).isEqualTo("nothing");
    assertThat(put(store(), "a/b", "first")).isTrue();
    assertThat(put(store(), "a/b", "second")).isFalse();
    assertThat(text(store(), "a/b")).isEqualTo("first");
    store().delete("a/b");
    store().delete("a/b");
    assertThat(put(store(), "a/b", "third")).isTrue();
  }

  @Test
  final void repeatedCallWithTheSameBytesAddsNothing() throws IOException {
    ArchiveStore store = store();
    assertThat(put(store, "a", "same")).isTrue();
    assertThat(put(store, "a", "same")).isFalse();
  }

  @Test
  final void emptyAndLargeEntriesAreReadAsTheyWereAdded() throws IOException {
    byte[] large = new byte[3_000_001];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 + (i >> 8));
    }
    assertThat(store().putIfAbsent("large", ArchiveContent.of(large))).isTrue();
    assertThat(put(store(), "empty", "")).isTrue();
    try (InputStream content = store().open("large")) {
      assertThat(content == null ? null : content.readAllBytes()).isEqualTo(large);
    }
    assertThat(text(store(), "empty")).isEmpty();
    assertThat(store().list("", "", 9))
        .containsExactly(new ArchiveEntry("empty", 0), new ArchiveEntry("large", large.length));
  }

  @Test
  final void oneOfManyWritersAddsAnEntry() throws Exception {
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
  final void entriesAreListedInTheOrderOfTheirNames() throws IOException {
    for (String name : List.of("b/2", "a", "b/10", "b.c", "b/1/x", "c")) {
      put(store(), name, name);
    }
    assertThat(store().list("", "", 100))
        .extracting(ArchiveEntry::name)
        .containsExactly("a", "b.c", "b/1/x", "b/10", "b/2", "c");
    assertThat(store().list("b/", "", 2))
        .containsExactly(new ArchiveEntry("b/1/x", 5), new ArchiveEntry("b/10", 4));
    assertThat(store().list("b/", "b/10", 2)).extracting(ArchiveEntry::name).containsExactly("b/2");
    assertThat(store().list("b/1", "", 9)).hasSize(2);
    assertThat(store().list("d/", "", 9)).isEmpty();
  }

  @Test
  final void nameThatIsNoneIsRefused() {
    for (String name : List.of("../a", "/a", "a/../../b", "a~0", "", "a//b", "A")) {
      assertThatThrownBy(() -> put(store(), name, "x"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
