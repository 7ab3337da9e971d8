package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of a data directory that no runtime has open, read from a copy: opening a catalog
 * changes its log. Becomes, record by record, what recovery would make of it. Confined to one
 * thread.
 */
public final class CatalogSurvey implements AutoCloseable {

  /** What is in the place of the file. */
  public enum Found {
    /** Nothing, or a file that was never written to. */
    NOTHING,
    /** A database; it was durable once. */
    CATALOG,
    /** A file that is not a database. */
    NO_DATABASE
  }

  private final SqliteConnection connection;
  private final CatalogTables tables;

  private CatalogSurvey(SqliteConnection connection, CatalogTables tables) {
    this.connection = connection;
    this.tables = tables;
  }

  /**
   * {@return what is found}
   *
   * @param disk where it is
   * @param file the file of the catalog
   * @param marks the marks of the journal
   * @throws IOException if it cannot be read
   */
  public static Found find(Disk disk, Path file, Marks marks) throws IOException {
    return CatalogDatabase.find(disk, file, !marks.states().isEmpty());
  }

  /**
   * Checks all pages of the file against the states in the journal. Changes nothing.
   *
   * @param disk where it is
   * @param file the file of the catalog
   * @param marks the marks of the journal
   * @throws FileRefusedException if it has none of the states
   * @throws IOException if it cannot be read
   */
  public static void checkPages(Disk disk, Path file, Marks marks) throws IOException {
    CatalogPages.open(disk, file, marks.states()).checkAll();
  }

  /**
   * Opens a copy, with the changes that are in the log only.
   *
   * @param disk where the file is
   * @param file the file of the catalog; null for an empty catalog
   * @param scratch a directory for the copy
   * @return the open copy
   * @throws IOException if it cannot be copied
   * @throws SqliteException if it is damaged
   */
  public static CatalogSurvey open(Disk disk, @Nullable Path file, Path scratch)
      throws IOException, SqliteException {
    Path copy = scratch.resolve("catalog.sqlite");
    CatalogLog old = CatalogLog.of(disk, copy);
    old.delete();
    disk.delete(copy);
    if (file == null) {
      disk.open(copy, Disk.Mode.CREATE).close();
    } else {
      Files.copy(file, copy);
      CatalogLog log = CatalogLog.of(disk, file);
      Path source = disk.exists(log.kept()) ? log.kept() : log.file();
      if (disk.exists(source)) {
        Files.copy(source, old.file());
      }
    }
    SqliteConnection connection = SqliteLibrary.jdbc().open(copy);
    try {
      connection.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF");
      connection.run("PRAGMA main.journal_mode=WAL");
      CatalogTables tables = new CatalogTables(connection);
      tables.prepare();
      return new CatalogSurvey(connection, tables);
    } catch (SqliteException | RuntimeException e) {
      connection.abandonAfter(e);
      throw e;
    }
  }

  /** {@return what SQLite finds inconsistent; empty if nothing} */
  public List<String> inconsistencies() throws SqliteException {
    List<String> found = connection.texts("PRAGMA main.integrity_check(10)");
    return found.equals(List.of("ok")) ? List.of() : found;
  }

  /** {@return whether it belongs to the journal with these marks} */
  public boolean belongs(Marks marks) throws SqliteException {
    Mark known = tables.saved().mark();
    return marks.belongs(known.position(), known.token());
  }

  /** Begins changes; they are much faster in one transaction. */
  public void begin() throws SqliteException {
    connection.execute("BEGIN");
  }

  /** Ends the changes since {@link #begin}. */
  public void commit() throws SqliteException {
    connection.execute("COMMIT");
    tables.committed();
  }

  /** Applies the change of a batch. */
  public void apply(ObjectKey key, CatalogChange change) throws SqliteException {
    tables.apply(key, change);
  }

  /** Applies a checkpoint. */
  public void put(ObjectKey key, SavedState state) throws SqliteException {
    tables.saved().put(key, state);
  }

  /** {@return the saved state of an object; null if there is none} */
  public @Nullable SavedState savedState(ObjectKey key) throws SqliteException {
    return tables.saved().get(key);
  }

  /** {@return the checksums of the pages of a saved state; null if they are not whole} */
  public @Nullable PageSums pageSums(ObjectKey key, SavedState state) throws SqliteException {
    return tables.saved().sums(key, state);
  }

  /** {@return the objects with a saved state} */
  public List<ObjectKey> savedObjects() throws SqliteException {
    return keys("saved");
  }

  /** {@return the objects in the directory} */
  public List<ObjectKey> objects() throws SqliteException {
    return keys("object");
  }

  private List<ObjectKey> keys(String table) throws SqliteException {
    return connection.list(
        "SELECT n.name, t.id FROM " + table + " t JOIN namespace n ON n.number = t.namespace",
        CatalogSurvey::keyOf);
  }

  /** {@return the object of a row that begins with a namespace and an id} */
  static ObjectKey keyOf(SqliteStatement row) throws SqliteException {
    return new ObjectKey(String.valueOf(row.value(0)), ObjectId.of(row.bytes(1), null));
  }

  /** Visits the names of objects, as far as they can be read. */
  public void names(BiConsumer<ObjectKey, String> visitor) throws SqliteException {
    connection.forEach(
        "SELECT n.name, o.id, o.name FROM object o JOIN namespace n ON n.number = o.namespace"
            + " WHERE o.name IS NOT NULL",
        row -> visitor.accept(keyOf(row), new String(row.bytes(2), StandardCharsets.UTF_8)));
  }

  /** Receives the entry of an object. */
  @FunctionalInterface
  public interface EntryVisitor {

    /**
     * Receives an entry.
     *
     * @param key the object
     * @param change that it exists, its name and its alarms
     * @throws SqliteException if what is done with it fails
     */
    void visit(ObjectKey key, CatalogChange change) throws SqliteException;
  }

  /**
   * Visits the entries of the objects whose ids are in a range.
   *
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   */
  void forEachEntry(byte[] firstId, byte[] endId, EntryVisitor visitor) throws SqliteException {
    connection.forEach(
        "SELECT n.name, o.id, o.name FROM namespace n JOIN object o ON n.number = o.namespace"
            + " WHERE o.id >= ?1 AND o.id < ?2",
        row -> {
          ObjectKey key = keyOf(row);
          @Nullable String name =
              row.value(2) == null ? null : new String(row.bytes(2), StandardCharsets.UTF_8);
          visitor.visit(
              key, new CatalogChange(true, name, new CatalogChange.Alarms(alarms(key), List.of())));
        },
        firstId,
        endId);
  }

  /** Receives the saved state of an object. */
  @FunctionalInterface
  public interface StateVisitor {

    /**
     * Receives a state.
     *
     * @param key the object
     * @param state its saved state, with all chunks
     * @throws SqliteException if what is done with it fails
     */
    void visit(ObjectKey key, SavedState state) throws SqliteException;
  }

  /**
   * Visits the saved states of the objects whose ids are in a range.
   *
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   * @throws SqliteException also if a state lacks checksums
   */
  void forEachState(byte[] firstId, byte[] endId, StateVisitor visitor) throws SqliteException {
    connection.forEach(
        "SELECT n.name, s.id FROM namespace n JOIN saved s ON n.number = s.namespace"
            + " WHERE s.id >= ?1 AND s.id < ?2",
        row -> {
          ObjectKey key = keyOf(row);
          SavedState state = savedState(key);
          PageSums sums = state == null ? null : pageSums(key, state);
          if (sums == null) {
            throw new SqliteException(
                11, "SQLITE_CORRUPT", "the saved state of " + key + " is damaged", null);
          }
          sums.nothingKept();
          visitor.visit(key, sums.save(sums.position()));
        },
        firstId,
        endId);
  }

  /** {@return whether an object is in the directory} */
  public boolean has(ObjectKey key) throws SqliteException {
    return tables.find(key) != null;
  }

  /** {@return the alarms of an object, without headers} */
  public List<AlarmRecord> alarms(ObjectKey key) throws SqliteException {
    Long namespace = tables.number(key.namespace());
    if (namespace == null) {
      return new ArrayList<>();
    }
    return connection.list(
        "SELECT name, state, due, scheduled, retries, schedule FROM alarm"
            + " WHERE namespace = ?1 AND id = ?2 ORDER BY name",
        row ->
            new AlarmRecord(
                new String(row.bytes(0), StandardCharsets.UTF_8),
                AlarmRecord.State.of((int) row.integer(1)),
                row.integer(2),
                row.integer(3),
                (int) row.integer(4),
                String.valueOf(row.value(5))),
        namespace,
        key.id().toBytes());
  }

  @Override
  public void close() {
    try {
      connection.closeWithoutCheckpoint();
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "The copy of the catalog was not closed cleanly", e);
    }
  }
}
