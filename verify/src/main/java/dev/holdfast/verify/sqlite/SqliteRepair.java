package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the objects' files and the catalog of a data directory of which the caller is the owner,
 * and that no runtime has open.
 */
public final class SqliteRepair {

  private static final List<String> CATALOG_FILES =
      List.of(
          "catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-wal.kept", "catalog.sqlite-shm");

  private SqliteRepair() {}

  /** Has the data directory as it was at earlier positions. */
  @FunctionalInterface
  public interface Past {

    /**
     * {@return the directory {@code sqlite/} as of a position, saved; valid until the next call}
     *
     * @param position the last position that belongs to it
     * @throws ArchiveException if there is none
     * @throws IOException if it cannot be made
     */
    Path directoryAt(long position) throws IOException;
  }

  /**
   * What became of a damaged object that the journal alone cannot make whole.
   *
   * @param position the position as of which its file was saved
   * @param whyNot why the file could not be replaced; null if it was
   */
  public record Taken(long position, @Nullable String whyNot) {}

  /**
   * What became of the damaged files.
   *
   * @param rebuilt the files that the journal has made whole
   * @param taken what became of the other objects; empty without a past
   */
  public record RepairedFiles(List<Path> rebuilt, Map<ObjectKey, Taken> taken) {}

  /**
   * Replaces each damaged file of an object that the journal can make whole again, and others by
   * those of an earlier state. Of these, only a file that has the checksum of the one that was
   * saved takes its place: the journal then leads from it to the present state, and nothing is
   * lost. A directory of one position serves all objects that did not change between their saved
   * state and that position.
   *
   * @param source the directory, and a journal that has lost nothing
   * @param scratch an empty directory for copies; deleted by its owner
   * @param past has the earlier states; null for none
   * @return what became of them
   * @throws IOException if a file cannot be read or written
   */
  public static RepairedFiles repairFiles(
      SqliteCheck.Source source, Path scratch, @Nullable Past past) throws IOException {
    List<Path> rebuilt = new ArrayList<>();
    Map<ObjectKey, SavedState> lost = new LinkedHashMap<>();
    ObjectFiles files = new ObjectFiles(source.disk(), source.directory());
    DirectoryCheck check =
        new DirectoryCheck(source.ofView(), scratch, /* isDeep= */ false, _ -> {});
    check.onLost(lost::put);
    check.onRebuilt(
        (key, image) -> {
          try {
            replace(source.disk(), files.database(key), image);
            rebuilt.add(files.database(key));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    try {
      check.run();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return new RepairedFiles(rebuilt, past == null ? Map.of() : takeFiles(source, lost, past));
  }

  private static Map<ObjectKey, Taken> takeFiles(
      SqliteCheck.Source source, Map<ObjectKey, SavedState> lost, Past past) throws IOException {
    Map<ObjectKey, Long> changed = firstChanges(source, lost);
    Map<ObjectKey, Taken> outcomes = new LinkedHashMap<>();
    while (outcomes.size() < lost.size()) {
      long position =
          lost.entrySet().stream()
              .filter(each -> !outcomes.containsKey(each.getKey()))
              .mapToLong(each -> each.getValue().position())
              .max()
              .orElseThrow();
      Path earlier = null;
      String whyNot = "it leads to another file";
      try {
        earlier = past.directoryAt(position);
      } catch (ArchiveException e) {
        whyNot = String.valueOf(e.getMessage());
      }
      for (Map.Entry<ObjectKey, SavedState> each : lost.entrySet()) {
        boolean isServed =
            each.getValue().position() == position
                || changed.getOrDefault(each.getKey(), Long.MAX_VALUE) > position;
        if (isServed && !outcomes.containsKey(each.getKey())) {
          boolean isTaken =
              earlier != null && take(source, each.getKey(), earlier, each.getValue());
          outcomes.put(
              each.getKey(), new Taken(each.getValue().position(), isTaken ? null : whyNot));
        }
      }
    }
    return outcomes;
  }

  /** {@return the first batch of each object after its saved state} */
  private static Map<ObjectKey, Long> firstChanges(
      SqliteCheck.Source source, Map<ObjectKey, SavedState> lost) {
    Map<ObjectKey, Long> changed = new HashMap<>();
    source
        .records()
        .forEachFrom(
            0,
            (view, kind) -> view == SqliteBackend.VIEW_ID && kind.isBatch(),
            record -> {
              SavedState state = lost.get(record.key());
              if (state != null && record.position() > state.position()) {
                changed.putIfAbsent(record.key(), record.position());
              }
            });
    return changed;
  }

  private static boolean take(
      SqliteCheck.Source source, ObjectKey key, Path earlier, SavedState state) throws IOException {
    ObjectFiles files = new ObjectFiles(source.disk(), source.directory());
    Path file = new ObjectFiles(source.disk(), earlier).database(key);
    if (!Files.exists(file) || !files.isSaved(file, state)) {
      return false;
    }
    replace(source.disk(), files.database(key), file);
    return true;
  }

  private static void replace(Disk disk, Path file, Path image) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    disk.ensureDirectory(file.resolveSibling(".").normalize());
    FileTree.copyFile(disk, image, fresh);
    FileTree.forceFiles(disk, List.of(fresh));
    disk.delete(ObjectFiles.wal(file));
    disk.move(fresh, file);
    disk.forceDirectory(file.resolveSibling(".").normalize());
  }

  /**
   * Reads the names of objects, which no object's file has: from the catalog, as far as it can be
   * read, and from the journal.
   *
   * @param source the directory
   * @param scratch a directory for copies; deleted by its owner
   * @return the names
   * @throws IOException if a file cannot be read
   */
  public static Map<ObjectKey, String> names(SqliteCheck.Source source, Path scratch)
      throws IOException {
    Map<ObjectKey, String> names = new LinkedHashMap<>();
    Path file = source.directory().resolve(CATALOG_FILES.getFirst());
    if (Files.exists(file)) {
      source.disk().createDirectories(scratch);
      try (CatalogSurvey catalog = CatalogSurvey.open(source.disk(), file, scratch)) {
        catalog.names(names::put);
      } catch (SqliteException e) {
        System.getLogger("dev.holdfast")
            .log(Level.DEBUG, () -> "Not all names in " + file + " could be read", e);
      }
    }
    source
        .records()
        .forEachFrom(
            0,
            (view, kind) -> view == SqliteBackend.VIEW_ID && kind.isBatch(),
            record -> {
              CatalogChange change = changeIn(record.payload());
              if (change != null && !change.exists()) {
                names.remove(record.key());
              } else if (change != null && change.name() != null) {
                names.put(record.key(), change.name());
              }
            });
    return names;
  }

  private static @Nullable CatalogChange changeIn(ByteBuffer payload) {
    try {
      return new BatchReader(payload).catalogChange();
    } catch (IllegalArgumentException e) {
      return null; // a check reports it
    }
  }

  /**
   * {@return whether an object has a file}
   *
   * @param source the directory
   * @param key the object
   */
  public static boolean hasFile(SqliteCheck.Source source, ObjectKey key) {
    return Files.exists(new ObjectFiles(source.disk(), source.directory()).database(key));
  }

  /**
   * Removes the catalog. The next opening rebuilds it from the objects.
   *
   * @param disk where it is
   * @param directory the directory {@code sqlite/}
   * @throws IOException if a file cannot be deleted
   */
  public static void removeCatalog(Disk disk, Path directory) throws IOException {
    for (String name : CATALOG_FILES) {
      disk.delete(directory.resolve(name));
    }
    disk.forceDirectory(directory);
  }

  /**
   * Returns the link of a batch that is appended while no runtime has the directory open.
   *
   * @param history that of the journal
   * @param key the object
   * @return names the last batch of the object that the journal has, or that its last checkpoint
   *     names
   */
  public static ChainLink linkAfter(JournalHistory history, ObjectKey key) {
    long last = Journal.START;
    try (HistoryCursor cursor = history.newestFirst(key, Long.MAX_VALUE)) {
      // Turns run while a file is saved: their batches may be before the checkpoint.
      while (cursor.next() && cursor.position() > last) {
        if (cursor.viewId() == SqliteBackend.VIEW_ID && cursor.kind().isBatch()) {
          return ChainLink.after(cursor.position());
        }
        if (cursor.viewId() == SqliteBackend.VIEW_ID && cursor.kind() == RecordKind.CHECKPOINT) {
          ByteBuffer payload = cursor.read().payload();
          last = Math.max(last, payload.getLong(payload.position()));
        }
      }
    }
    return ChainLink.after(last);
  }

  /**
   * {@return the payload of a batch that changes nothing of an object but its entry in the catalog}
   *
   * @param name the object's name
   */
  public static ByteBuffer naming(String name) {
    BatchWriter batch = new BatchWriter();
    batch.begin(PageSize.DEFAULT_BYTES, 0, 1);
    batch.catalogChange(new CatalogChange(true, name, null).encode());
    return batch.finish();
  }
}
