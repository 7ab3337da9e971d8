package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.AlarmTables;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.database.TurnTransaction;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.Listing;
import dev.holdfast.spi.catalog.TurnAlarms;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a turn to the object's alarms and to its place in the directory. Nothing is
 * written before the turn is sealed, so a rollback within the turn replaces one reference.
 *
 * <p>Confined to the thread that runs the turn.
 */
final class TurnCatalog {

  /** Has the object's name if the instance has it; the database may have been opened before. */
  private final ObjectKey key;

  private final OpenDatabase database;
  private final Listing listing;

  private final TurnAlarms alarms = new TurnAlarms();
  private boolean erased;
  private boolean gone;

  TurnCatalog(ObjectKey key, OpenDatabase database, Listing listing) {
    this.key = key;
    this.database = database;
    this.listing = listing;
  }

  /** {@return the object; with its name if the instance has it} */
  ObjectKey key() {
    return key;
  }

  TurnAlarms alarmsOfTurn() {
    return alarms;
  }

  List<AlarmRecord> alarms() throws SqliteException {
    List<AlarmRecord> own = alarms.get();
    return own != null ? own : stored().read();
  }

  void setAlarms(List<AlarmRecord> list) {
    alarms.set(list);
  }

  /** Records that everything was deleted. */
  void erased() {
    erased = true;
  }

  /** {@return whether the turn leaves neither data nor alarms; known after {@link #write}} */
  boolean isGone() {
    return gone;
  }

  /** {@return whether the catalog may change when the turn is sealed} */
  boolean mayChange() {
    return erased || alarms.get() != null;
  }

  /**
   * Writes the alarms, in the transaction of the turn, which is about to be committed.
   *
   * @return the catalog change of the batch; null for none
   */
  @Nullable CatalogChange write(TurnTransaction transaction) throws SqliteException {
    CatalogChange.Alarms changed = changedAlarms();
    if (changed != null) {
      transaction.begin();
      stored().write(changed.after());
    }
    gone =
        (erased || changed != null)
            && alarms().isEmpty()
            && DatabaseEraser.isErased(database.connection());
    boolean saysNothing =
        gone ? !listing.endsWithoutChange(this::wasWritten) : !transaction.isOpen();
    return changed == null && saysNothing ? null : listing.change(key, changed, gone);
  }

  private CatalogChange.@Nullable Alarms changedAlarms() throws SqliteException {
    List<AlarmRecord> own = alarms.get();
    if (own == null) {
      return null;
    }
    List<AlarmRecord> before = stored().read();
    return own.equals(before) ? null : new CatalogChange.Alarms(own, before);
  }

  /** A new database has the one page that every file has. */
  private boolean wasWritten() {
    return database.pageCount(PageSize.DEFAULT_BYTES) > 1;
  }

  /** Records that the batch was appended. */
  void sealed(@Nullable CatalogChange change, long position) {
    if (change == null || position == Journal.START) {
      return;
    }
    listing.sealed(change);
    if (change.alarms() != null) {
      stored().committed(change.alarms().after());
    }
  }

  private AlarmTables stored() {
    return database.connection().alarms();
  }
}
