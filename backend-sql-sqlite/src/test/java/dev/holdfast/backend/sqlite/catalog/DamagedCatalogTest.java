package dev.holdfast.backend.sqlite.catalog;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.testkit.InMemoryJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of {@code docs/formats/damage.md} on the catalog and on the whole directory. */
final class DamagedCatalogTest {

  @TempDir private Path root;

  private static void put(SqliteHost host, int number, String value) {
    commit(host.store(number), turn -> turn.put(bytes("a"), bytes(value)));
  }

  private static void close(SqliteHost host) {
    host.backend.close();
    host.journal.trimBefore(host.backend.lowWaterMark());
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(each)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(each, to.resolve(from.relativize(each)));
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(each);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure)
              throws IOException {
            Files.delete(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void assertOpeningIsRefused(SqliteHost host, String why) {
    assertThatExceptionOfType(DataDirectoryException.class)
        .isThrownBy(host::reopen)
        .withMessageContaining(why)
        .withMessageContaining(host.directory().resolve("catalog.sqlite").toString());
  }

  @Test
  void wholeDirectoryThatWasRemovedIsNoticed() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      delete(host.directory());
      assertOpeningIsRefused(host, "they were removed");
    }
  }

  /** Version 1 had no saved states: its files would be accepted as they are. */
  @Test
  void catalogOfVersion1IsRefused() throws IOException, SqliteException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      SqliteConnection connection =
          SqliteLibrary.jdbc().open(host.directory().resolve("catalog.sqlite"));
      connection.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA user_version=1");
      connection.close();
      assertOpeningIsRefused(host, "format 1, this version supports 2");
    }
  }

  @Test
  void wholeDirectoryOfAnOlderCopyIsNoticed() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      Path older = root.resolve("older");
      copy(host.directory(), older);
      host.reopen();
      put(host, 1, "two");
      close(host);
      delete(host.directory());
      copy(older, host.directory());
      assertOpeningIsRefused(host, "restored from an older copy");
    }
  }

  @Test
  void olderCatalogIsNoticed() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      Path catalog = host.directory().resolve("catalog.sqlite");
      byte[] older = Files.readAllBytes(catalog);
      host.reopen();
      put(host, 1, "two");
      close(host);
      Files.write(catalog, older);
      assertOpeningIsRefused(host, "restored from an older copy");
    }
  }

  @Test
  void olderJournalBesideTheFilesIsNoticed() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      InMemoryJournal older = host.journal.prefix(host.journal.lastPosition());
      host.reopen();
      put(host, 1, "two");
      close(host);
      host.journal = older;
      assertOpeningIsRefused(host, "restored from an older copy");
    }
  }

  @Test
  void filesOfAnotherDirectoryAreNoticed() throws IOException {
    try (SqliteHost host = new SqliteHost(root.resolve("one"), 2);
        SqliteHost other = new SqliteHost(root.resolve("other"), 2)) {
      put(host, 1, "one");
      put(other, 1, "two");
      close(host);
      close(other);
      assertThat(other.journal.lastPosition()).isEqualTo(host.journal.lastPosition());
      delete(host.directory());
      copy(other.directory(), host.directory());
      assertOpeningIsRefused(host, "restored from an older copy");
    }
  }

  @Test
  void wholeDirectoryWithItsJournalOfAnOlderCopyOpens() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      close(host);
      Path older = root.resolve("older");
      copy(host.directory(), older);
      InMemoryJournal olderJournal = host.journal.prefix(host.journal.lastPosition());
      host.reopen();
      put(host, 1, "two");
      close(host);
      delete(host.directory());
      copy(older, host.directory());
      host.journal = olderJournal;
      host.reopen();
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("one"));
    }
  }

  /** It would describe another file as the object's. */
  @Test
  void changedRowOfASavedStateIsNoticed() throws Exception {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      put(host, 2, "two");
      close(host);
      Path catalog = host.directory().resolve("catalog.sqlite");
      SqliteConnection connection = SqliteLibrary.jdbc().open(catalog);
      connection.execute("PRAGMA locking_mode=EXCLUSIVE");
      connection.execute(
          "UPDATE saved SET checksum = checksum + 1 WHERE hex(id) = upper('"
              + object(1).id()
              + "')");
      connection.close();
      assertOpeningIsRefused(host, "is not the one that was saved");
    }
  }

  /** With only the file gone, the journal and the catalog would still have the object. */
  @Test
  void objectThatIsRemovedAfterAKillIsRefused() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      put(host, 2, "two");
      host.restart();
      put(host, 2, "three");
      host.crashAt(host.journal.lastPosition(), after -> after.file(object(1)).toFile().delete());
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> get(host.store(1), "a"))
          .withMessageContaining("is missing");
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("three"));
    }
  }

  /** Its own batches are applied to a file that is not the one they were written to. */
  @Test
  void olderFileOfAnObjectWithUnsavedBatchesIsRefusedAfterAKill() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      for (int key = 0; key < 300; key++) {
        String name = "key " + key;
        commit(host.store(1), turn -> turn.put(bytes(name), bytes("x".repeat(100))));
      }
      host.restart();
      byte[] older = Files.readAllBytes(host.file(object(1)));
      commit(host.store(1), turn -> turn.put(bytes("key 0"), bytes("y".repeat(100))));
      host.restart();
      byte[] saved = Files.readAllBytes(host.file(object(1)));
      commit(host.store(1), turn -> turn.put(bytes("key 299"), bytes("z".repeat(100))));
      host.crashAt(host.journal.lastPosition(), after -> write(after.file(object(1)), older));
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> get(host.store(1), "key 0"))
          .withMessageContaining("is not the one that was saved");
      host.crashAt(host.journal.lastPosition(), after -> write(after.file(object(1)), saved));
      assertThat(get(host.store(1), "key 0")).isEqualTo(bytes("y".repeat(100)));
      assertThat(get(host.store(1), "key 299")).isEqualTo(bytes("z".repeat(100)));
    }
  }

  @Test
  void fileOfAnObjectThatWasNeverSavedIsForeign() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      put(host, 1, "one");
      host.restart();
      Path foreign = host.file(object(3));
      Files.createDirectories(java.util.Objects.requireNonNull(foreign.getParent()));
      Files.copy(host.file(object(1)), foreign);
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> get(host.store(3), "a"))
          .withMessageContaining("is not of this object");
      assertThat(get(host.store(4), "a")).isNull();
    }
  }

  private static void write(Path file, byte[] content) {
    try {
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
