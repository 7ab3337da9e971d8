package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.contract.ArchiveStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory as a store. */
final class DirectoryArchiveTest extends ArchiveStoreContract {

  @TempDir Path directory;

  @Override
  protected ArchiveStore store() {
    return new DirectoryArchive(directory.resolve("store"));
  }

  @Test
  void whatCallsHaveLeftThatNeverEndedIsDeleted() throws IOException {
    Path place = directory.resolve("left");
    DirectoryArchive store = new DirectoryArchive(place);
    store.deleteUnfinished(""); // there is nothing yet
    assertThat(store.putIfAbsent("a/b/1.chunk", ArchiveContent.of(new byte[] {1}))).isTrue();
    assertThat(store.putIfAbsent("c/1.chunk", ArchiveContent.of(new byte[] {1}))).isTrue();
    Files.write(place.resolve("a/b/2.chunk~0"), new byte[] {2});
    Files.write(place.resolve("c/2.chunk~1"), new byte[] {2});
    store.deleteUnfinished("a/");
    assertThat(place.resolve("a/b")).isDirectoryNotContaining("glob:**~*");
    assertThat(place.resolve("c/2.chunk~1")).exists();
    store.deleteUnfinished("");
    assertThat(place.resolve("c/2.chunk~1")).doesNotExist();
    assertThat(store.list("", "", 10)).hasSize(2);
  }

  @Test
  void filesOfOthersStayAndAreNotLookedInto() throws IOException {
    Path place = directory.resolve("mounted");
    Files.createDirectories(place.resolve("a/lost+found"));
    for (String name : List.of("notes.txt~", "~1", "a/2~x", "a/B~0", "a/lost+found/1~0")) {
      Files.write(place.resolve(name), new byte[] {2});
    }
    Path link = Files.createSymbolicLink(directory.resolve("link"), place);
    DirectoryArchive store = new DirectoryArchive(link);
    Files.write(place.resolve("a/1~10"), new byte[] {2});
    store.deleteUnfinished("a/");
    Files.write(place.resolve("1~0"), new byte[] {2});
    store.deleteUnfinished("");
    try (Stream<Path> files = Files.walk(place)) {
      assertThat(files.filter(Files::isRegularFile).map(each -> place.relativize(each).toString()))
          .containsExactlyInAnyOrder("notes.txt~", "~1", "a/2~x", "a/B~0", "a/lost+found/1~0");
    }
  }

  @Test
  void fileOfAFailedMachineIsNoEntry() throws IOException {
    put(store(), "b/2", "2");
    Files.write(directory.resolve("store/b/3~0"), new byte[9]);
    assertThat(store().list("", "", 100)).extracting(ArchiveEntry::name).containsExactly("b/2");
    assertThat(put(store(), "b/3", "3")).isTrue();
  }

  @Test
  void entryOfAWriterKilledBeforeItTidiedUpIsThereOnce() throws IOException {
    put(store(), "b/3", "3");
    Path store = directory.resolve("store/b");
    Files.createLink(store.resolve("3~0"), store.resolve("3")); // as between link and deletion
    assertThat(store().list("", "", 100)).extracting(ArchiveEntry::name).containsExactly("b/3");
    assertThat(put(store(), "b/3", "other")).isFalse();
    assertThat(text(store(), "b/3")).isEqualTo("3");
    store().delete("b/3");
    assertThat(text(store(), "b/3")).isEqualTo("nothing");
    assertThat(put(store(), "b/3", "other")).isTrue();
    assertThat(text(store(), "b/3")).isEqualTo("other");
  }

  @Test
  void refusedNameLeavesNoDirectory() {
    assertThatThrownBy(() -> put(store(), "../a", "x"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(directory.resolve("store")).doesNotExist();
  }
}
