package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.file.SumChunk;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The saved states of the objects, and the binding of the catalog to the journal. Confined to the
 * holder of the {@link CatalogDatabase}.
 */
final class SavedTables {

  /** The checksums of the first chunk are in the row: most objects have no other chunk. */
  static final String CREATE =
      """
      CREATE TABLE IF NOT EXISTS saved (
        namespace INTEGER NOT NULL,
        id BLOB NOT NULL,
        position INTEGER NOT NULL,
        page_bytes INTEGER NOT NULL,
        pages INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        row_checksum INTEGER NOT NULL,
        sums BLOB,
        PRIMARY KEY (namespace, id)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS page_sums (
        namespace INTEGER NOT NULL,
        id BLOB NOT NULL,
        chunk INTEGER NOT NULL,
        sums BLOB NOT NULL,
        PRIMARY KEY (namespace, id, chunk)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      """;

  private static final String PUT =
      """
      INSERT INTO saved VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (namespace, id) DO UPDATE SET position = excluded.position,
        page_bytes = excluded.page_bytes, pages = excluded.pages, checksum = excluded.checksum,
        row_checksum = excluded.row_checksum, sums = coalesce(excluded.sums, sums)
      WHERE excluded.position >= position RETURNING position\
      """;

  private final CatalogTables tables;
  private final StatementCache statements;

  SavedTables(CatalogTables tables, StatementCache statements) {
    this.tables = tables;
    this.statements = statements;
  }

  /**
   * Writes a saved state, in the open transaction; none if there is a later one. A division puts
   * records of other shards beside those that a catalog needs: earlier ones are then read again.
   */
  void put(ObjectKey key, SavedState state) throws SqliteException {
    long namespace = tables.numberOrNew(key.namespace());
    byte[] id = key.id().toBytes();
    byte @Nullable [] first = null;
    for (SumChunk chunk : state.chunks()) {
      if (chunk.index() == 0) {
        first = chunk.sums();
      }
    }
    boolean isWritten =
        statements.hasRow(
            PUT,
            namespace,
            id,
            state.position(),
            (long) state.pageBytes(),
            (long) state.pages(),
            (long) state.checksum(),
            (long) rowChecksum(key, state),
            first);
    if (isWritten) {
      putChunks(namespace, id, state);
    }
  }

  private void putChunks(long namespace, byte[] id, SavedState state) throws SqliteException {
    boolean hasOthers = false;
    for (SumChunk chunk : state.chunks()) {
      if (chunk.index() > 0) {
        hasOthers = true;
        statements.run(
            "INSERT OR REPLACE INTO page_sums VALUES (?1, ?2, ?3, ?4)",
            namespace,
            id,
            (long) chunk.index(),
            chunk.sums());
      }
    }
    if (hasOthers) {
      statements.run(
          "DELETE FROM page_sums WHERE namespace = ?1 AND id = ?2 AND chunk > ?3",
          namespace,
          id,
          (long) (state.pages() - 1) / SumChunk.PAGES);
    }
  }

  /**
   * {@return the saved state of an object, without chunks; null if there is none}
   *
   * @throws SqliteException also if the row is damaged
   */
  @Nullable SavedState get(ObjectKey key) throws SqliteException {
    Long namespace = tables.number(key.namespace());
    if (namespace == null) {
      return null;
    }
    return statements.first(
        "SELECT position, page_bytes, pages, checksum, row_checksum FROM saved"
            + " WHERE namespace = ?1 AND id = ?2",
        row -> state(key, row),
        namespace,
        key.id().toBytes());
  }

  /** {@return the objects whose saved state is after a position} */
  List<ObjectKey> after(long position) throws SqliteException {
    return statements.list(
        "SELECT n.name, s.id FROM saved s JOIN namespace n ON n.number = s.namespace"
            + " WHERE s.position > ?1",
        CatalogSurvey::keyOf,
        position);
  }

  private static SavedState state(ObjectKey key, SqliteStatement row) throws SqliteException {
    SavedState state =
        new SavedState(
            row.integer(0),
            (int) row.integer(1),
            (int) row.integer(2),
            (int) row.integer(3),
            List.of());
    if (rowChecksum(key, state) != (int) row.integer(4)) {
      throw new SqliteException(11, "SQLITE_CORRUPT", "the row of " + key + " is damaged", null);
    }
    return state;
  }

  /**
   * {@return the checksums of the pages of a saved state; null if some are missing, or do not
   * belong to the state}
   */
  @Nullable PageSums sums(ObjectKey key, SavedState state) throws SqliteException {
    Long namespace = tables.number(key.namespace());
    List<SumChunk> chunks = new ArrayList<>();
    byte[] id = key.id().toBytes();
    read(chunks, "SELECT 0, sums FROM saved WHERE namespace = ?1 AND id = ?2", namespace, id);
    read(
        chunks,
        "SELECT chunk, sums FROM page_sums WHERE namespace = ?1 AND id = ?2 ORDER BY chunk",
        namespace,
        id);
    PageSums sums = new PageSums(state.pageBytes(), state.pages());
    int known = 0;
    for (SumChunk chunk : chunks) {
      if (chunk.index() == known
          && chunk.sums().length == SumChunk.bytes(chunk.index(), state.pages())) {
        sums.load(chunk);
        known++;
      }
    }
    boolean isWhole = (long) known * SumChunk.PAGES >= state.pages();
    if (!isWhole || sums.checksum() != state.checksum()) {
      return null;
    }
    sums.allKept();
    sums.reach(state.position());
    return sums;
  }

  private void read(List<SumChunk> chunks, String sql, @Nullable Long namespace, byte[] id)
      throws SqliteException {
    statements.forEach(
        sql,
        row -> {
          if (row.value(1) != null) {
            chunks.add(new SumChunk((int) row.integer(0), row.bytes(1)));
          }
        },
        namespace,
        id);
  }

  /** Stores the mark with which the catalog is saved, in the open transaction. */
  void putMark(Mark mark) throws SqliteException {
    putMeta("mark", mark.position());
    putMeta("token", mark.token());
  }

  /** {@return the mark with which the catalog was saved; at position 0 if there was none} */
  Mark mark() throws SqliteException {
    return new Mark(meta("mark"), 0, meta("token"));
  }

  /** {@return the number stored under a name; 0 if there is none} */
  long meta(String name) throws SqliteException {
    return statements.integer("SELECT value FROM meta WHERE name = ?1", name);
  }

  /** Stores a number, in the open transaction. */
  void putMeta(String name, long value) throws SqliteException {
    statements.run("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", name, value);
  }

  private static int rowChecksum(ObjectKey key, SavedState state) {
    byte[] namespace = key.namespace().getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(namespace.length + 32 + 8 + 3 * 4);
    bytes.put(namespace).put(key.id().toBytes()).putLong(state.position());
    bytes.putInt(state.pageBytes()).putInt(state.pages()).putInt(state.checksum());
    CRC32C crc = new CRC32C();
    crc.update(bytes.flip());
    return (int) crc.getValue();
  }
}
