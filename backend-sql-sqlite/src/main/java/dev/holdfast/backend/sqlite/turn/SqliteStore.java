package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.OpenDatabase;
import dev.holdfast.backend.sqlite.database.Switches;
import dev.holdfast.backend.sqlite.past.DatabaseImage;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.Listing;
import dev.holdfast.sql.SqlLimits;
import org.jspecify.annotations.Nullable;

/** The store of one object. Remembers which open database it used last. */
public final class SqliteStore implements ObjectStore {

  private final TurnServices services;
  private final ObjectKey key;
  private final SqlLimits limits;
  private final Listing listing = new Listing();
  private final DeferredMigrations deferred = new DeferredMigrations();

  /** Confined to the thread that runs the object's turn. */
  private @Nullable OpenDatabase lastUsed;

  /** Of the connection that the object's instance used last; null for a new instance. */
  private @Nullable Switches lastSwitches;

  public SqliteStore(TurnServices services, ObjectKey key, SqlLimits limits) {
    this.services = services;
    this.key = key;
    this.limits = limits;
  }

  @Override
  public StoreTurn beginTurn() {
    OpenDatabase database = lastUsed;
    // A file whose sync has failed must not be read again: pages may have reverted to old content.
    if (database == null || services.cache().isUnusable(key) || !database.claimForTurn()) {
      database = services.cache().claim(key);
      lastUsed = database;
    }
    if (services.isTrimDue(database)) {
      services.trim(database); // may open another connection
    }
    prepare(database);
    SqliteTurn turn =
        new SqliteTurn(
            services, database, limits, new TurnCatalog(key, database, listing), deferred);
    deferred.resume(turn);
    return turn;
  }

  private void prepare(OpenDatabase database) {
    boolean done = false;
    try {
      database.connection().limitDatabase(limits.databaseBytesMax(), database.sums().pageBytes());
      Switches switches = database.connection().switches();
      if (switches != lastSwitches) {
        switches.become(lastSwitches);
        lastSwitches = switches;
      }
      done = true;
    } catch (SqliteException e) {
      throw database.errors().sqliteFailed("Setting its limits and switches", e);
    } finally {
      if (!done) {
        services.cache().release(database);
      }
    }
  }

  @Override
  public long restore(LaterBatches later) {
    return services.restores().restore(key, later, listing);
  }

  @Override
  public PastImage image(LaterBatches later) {
    return services.restores().image(key, later);
  }

  @Override
  public long become(PastImage image) {
    return services.restores().become(key, (DatabaseImage) image, listing);
  }

  @Override
  public void eraseRemains() {
    services.cache().eraseRemains(key);
    services.catalog().eraseRemains();
  }

  /** The database stays open until its place is needed: the object may be used again soon. */
  @Override
  public void release() {
    lastUsed = null;
    lastSwitches = null;
    deferred.end();
  }
}
