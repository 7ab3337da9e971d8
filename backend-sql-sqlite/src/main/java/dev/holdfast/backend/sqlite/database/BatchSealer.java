package dev.holdfast.backend.sqlite.database;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.sqlite.catalog.SqliteCatalog;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchScratch;
import dev.holdfast.backend.sqlite.wal.BatchTooLargeException;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes a batch of what a turn has committed locally and appends it to the journal.
 *
 * <p>The commit comes first, because SQLite reports its writes only then. Between the commit and
 * the append the database is ahead of the journal. It stays claimed meanwhile, so the commit is not
 * visible, and a refused append reverts it. If the append ends in any other way, the database is
 * {@linkplain OpenDatabase#isInDoubt in doubt}. Thread-safe.
 */
public final class BatchSealer {

  private final Journal journal;
  private final int viewId;
  private final Unsaved unsaved;
  private final SqliteCatalog catalog;

  /** Which namespaces keep an undo. Set before the first batch. */
  private volatile Predicate<String> undoKept = _ -> true;

  private final BatchScratch.Pool scratches = new BatchScratch.Pool();

  public BatchSealer(Journal journal, int viewId, Unsaved unsaved, SqliteCatalog catalog) {
    this.journal = journal;
    this.viewId = viewId;
    this.unsaved = unsaved;
    this.catalog = catalog;
  }

  public void keepUndoOf(Predicate<String> namespaces) {
    undoKept = namespaces;
  }

  /**
   * Seals the commit that a database has just made.
   *
   * @param database the database
   * @param key its object; with the name if the instance has it
   * @param change what the batch changes in the catalog; null for nothing
   * @param events what the turn has emitted, to stay with the batch; null for nothing
   * @return the position of the batch; {@link Journal#START} if nothing has changed
   * @throws IOException if the written pages cannot be read
   * @throws HoldfastException if the journal refuses the batch
   */
  public long seal(
      OpenDatabase database,
      ObjectKey key,
      @Nullable CatalogChange change,
      @Nullable ByteBuffer events)
      throws IOException {
    BatchScratch scratch = scratches.take();
    try {
      SealedPages pages = database.pages();
      WalCommit commit = scratch.commit;
      if (!database.readCommit(commit)) {
        // A transaction that changed nothing does not create the object.
        return change == null || change.exists()
            ? Journal.START
            : sealWithoutPages(database, key, scratch.writer, change, events);
      }
      boolean keepsUndo = undoKept.test(key.namespace());
      scratch.writer.keepUndo(keepsUndo);
      scratch.writer.begin(commit.pageBytes, pages.count(commit.pageBytes), commit.pagesAfter);
      if (change != null) {
        scratch.writer.catalogChange(change.encode());
      }
      pages.write(database.log(), scratch);
      ByteBuffer payload = scratch.writer.finish();
      database.sealing(payload.remaining());
      RecordKind kind = keepsUndo ? RecordKind.BATCH : RecordKind.BATCH_WITHOUT_UNDO;
      long position = append(database, key, kind, 0, payload, change, events);
      database.sealed(commit, position);
      return position;
    } finally {
      scratches.giveBack(scratch);
    }
  }

  /** {@return a number for the end of all commits of a claimed database; 0 if there is none} */
  int endOfCommits(OpenDatabase database) throws IOException {
    BatchScratch scratch = scratches.take();
    try {
      return database.log().readAll(scratch.commit) ? database.log().end(scratch.commit) : 0;
    } finally {
      scratches.giveBack(scratch);
    }
  }

  /** An object that leaves the directory may have had no pages to change. */
  private long sealWithoutPages(
      OpenDatabase database,
      ObjectKey key,
      BatchWriter writer,
      CatalogChange change,
      @Nullable ByteBuffer events) {
    int pageBytes = PageSize.DEFAULT_BYTES;
    int pages = Math.max(1, database.pageCount(pageBytes));
    writer.begin(pageBytes, pages, pages);
    writer.catalogChange(change.encode());
    ByteBuffer payload = writer.finish();
    database.sealing(payload.remaining());
    long position = append(database, key, RecordKind.BATCH, 0, payload, change, events);
    database.sealedWithoutPages(position);
    return position;
  }

  /**
   * {@return the position of the last batch of a claimed database; {@link Journal#START} if it has
   * none}
   */
  public long lastBatch(OpenDatabase database) {
    // The last one may have changed no page, and may have been appended before it was opened.
    return Math.max(database.lastPosition(), unsaved.lastBatch(database.key()));
  }

  /**
   * Appends a part of a batch of a claimed database. A part has no effect before its batch follows.
   * If the batch does not follow, call {@link #abandonParts}.
   *
   * @param number of the part; the first has 1
   */
  public long appendPart(OpenDatabase database, ObjectKey key, int number, ByteBuffer payload) {
    ChainLink link = new ChainLink(appending(database, key), number);
    return journal.append(RecordKind.UNDO_PART, viewId, key, link, payload);
  }

  /** {@return the last batch of the database, and records that the next one is appended} */
  private long appending(OpenDatabase database, ObjectKey key) {
    long unsavedBatch =
        unsaved.appending(key, journal.lastPosition(), database.pages().entryMayBeNew());
    return Math.max(database.lastPosition(), unsavedBatch);
  }

  /** Records that the appended parts are no longer needed. */
  public void abandonParts(ObjectKey key) {
    unsaved.notAppended(key);
  }

  /**
   * Appends a batch of a claimed database that no turn has made.
   *
   * @param parts how many parts it has
   */
  public long append(
      OpenDatabase database,
      ObjectKey key,
      RecordKind kind,
      int parts,
      ByteBuffer payload,
      @Nullable CatalogChange change) {
    return append(database, key, kind, parts, payload, change, null);
  }

  private long append(
      OpenDatabase database,
      ObjectKey key,
      RecordKind kind,
      int parts,
      ByteBuffer payload,
      @Nullable CatalogChange change,
      @Nullable ByteBuffer events) {
    if (payload.remaining() > journal.payloadBytesMax()) {
      database.notSealed();
      throw new BatchTooLargeException(journal.payloadBytesMax());
    }
    long previous = appending(database, key);
    ChainLink link = parts == 0 ? ChainLink.after(previous) : new ChainLink(previous, parts);
    long position;
    try {
      position = journal.append(kind, viewId, key, link, payload, events);
    } catch (HoldfastException | IllegalArgumentException e) {
      unsaved.notAppended(key);
      database.notSealed();
      throw e;
    }
    // Whatever fails from here on, the journal has the batch.
    unsaved.appended(key, position);
    if (change != null) {
      // While the object is claimed and so cannot be saved: its records are kept for both.
      catalog.sealed(position, key, change);
    }
    return position;
  }
}
