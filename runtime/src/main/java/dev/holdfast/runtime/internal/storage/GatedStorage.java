package dev.holdfast.runtime.internal.storage;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.turn.Sections;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectSchedules;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.StorageTransaction;
import dev.holdfast.storage.WriteOptions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The storage of an object as its code sees it. Confined to the object's turn. */
public final class GatedStorage extends GatedKeyValues implements ObjectStorage {

  private final GatedSql sql;
  private final GatedSchedules schedules;
  private final Duration transactionTimeout;

  /**
   * Creates the storage of an instance.
   *
   * @param turns of the instance
   * @param options of its namespace
   * @param clone how values of its namespace are stored
   * @param alarms of the instance
   */
  public GatedStorage(
      Turn turns, NamespaceOptions options, StructuredClone clone, ObjectAlarms alarms) {
    super(alarms, turns.parts().values().forInstance(), clone);
    this.schedules = new GatedSchedules(alarms);
    this.sql = new GatedSql(turns, options.sqlLimits(), clone);
    if (options.migrations().isEmpty() && !options.newerMigrationsAllowed()) {
      sql.requireUnmigrated();
    }
    this.transactionTimeout = options.criticalSectionTimeout();
  }

  /** Drops the instance's part of the cache. */
  public void dropCache() {
    cache().dropAll();
  }

  @Override
  void admit(String operation) {
    turns().check();
  }

  @Override
  public void deleteAll(WriteOptions options) {
    turns().check();
    if (turns().work().transactions().isExplicitOpen()) {
      throw new MisuseException(
          object().namespace(),
          object().id(),
          MisuseException.Reason.INSIDE_TRANSACTION,
          "Cannot call deleteAll() within a transaction. Call it before or after it: a turn is"
              + " atomic without one.");
    }
    confirm(options);
    onStore(
        turn -> {
          turn.deleteAll();
          return Boolean.TRUE;
        });
    cache().dropAll();
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T transaction(
      StorageTransaction.Closure<T, X> closure) throws X {
    turns().check();
    GatedTransaction transaction = newTransaction(/* isSync= */ false);
    if (turns().work().transactions().isSyncOpen()) {
      // It cannot wait and is not sealed on its own, so it needs no critical section.
      return transaction.run(closure);
    }
    return Sections.runTransaction(turns(), transactionTimeout, () -> transaction.run(closure));
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T transactionSync(
      StorageTransaction.SyncClosure<T, X> closure) throws X {
    turns().check();
    return newTransaction(/* isSync= */ true).run(_ -> closure.run());
  }

  private GatedTransaction newTransaction(boolean isSync) {
    return new GatedTransaction(alarms(), cache(), format(), isSync);
  }

  @Override
  public void sync() {
    Waits.sync(turns());
  }

  @Override
  public String getCurrentBookmark() {
    return turns().bookmarks().current();
  }

  @Override
  public String getBookmarkForTime(Instant time) {
    return turns().bookmarks().at(time);
  }

  @Override
  public String onNextSessionRestoreBookmark(String bookmark) {
    return turns().bookmarks().requestRestore(bookmark);
  }

  @Override
  public ObjectSchedules schedules() {
    return schedules;
  }

  @Override
  public SqlStorage sql() {
    return sql;
  }
}
