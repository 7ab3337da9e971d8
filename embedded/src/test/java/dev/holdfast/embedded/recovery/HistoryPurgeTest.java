package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The history of an object is purged on SQLite: the contract, and a purge that is continued. */
class HistoryPurgeTest extends HistoryPurgeContract {

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  /** An archive that takes nothing keeps the records, so the purge cannot end. */
  @Test
  void purgeThatHasNotEndedContinuesAtTheNextOpening() throws IOException {
    RuntimeOptions archived =
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(new UnreachableStore()));
    CompletableFuture<Void> purge;
    String bookmark;
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects -> {
              objects.options(archived);
              objects.namespace("things", Scripted.class, Scripted::withAlarm);
            })) {
      Anything thing = thing(runtime, "a");
      fill(thing);
      bookmark = current(thing);
      thing.run(
          context -> {
            context.storage().deleteAll();
            return null;
          });
      purge = runtime.admin().purgeHistory("things", id(runtime, "a"));
      assertThatThrownBy(() -> past(runtime, "a").fork(bookmark, "fork"))
          .hasMessageContaining("was purged");
      assertThat(purge).isNotDone();
    }
    assertThatThrownBy(purge::join)
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("closed");
    assertThat(filesWithSecret()).isNotEmpty();
    try (ObjectRuntime runtime = open()) {
      assertThatThrownBy(() -> past(runtime, "a").fork(bookmark, "fork"))
          .hasMessageContaining("was purged");
      // Purges have their turn one after the other: this one ends after the one that continues.
      put(thing(runtime, "b"), "key", "value");
      purge(runtime, "b");
      assertThat(filesWithSecret()).noneMatch(file -> file.toString().contains("journal"));
    }
  }

  private static final class UnreachableStore implements ArchiveStore {

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      throw new IOException("unreachable");
    }

    @Override
    public @Nullable InputStream open(String name) throws IOException {
      throw new IOException("unreachable");
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
      throw new IOException("unreachable");
    }

    @Override
    public void delete(String name) throws IOException {
      throw new IOException("unreachable");
    }

    @Override
    public String toString() {
      return "unreachable store";
    }
  }
}
