package dev.holdfast.runtime.internal.storage;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.turn.OpenTransactions;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.MigrationStorage;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ListOptions;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The storage of an object as one migration that is code sees it. Works on the store turn that runs
 * the migration: that one may be about to begin, and the turn does not know it yet. Nothing is
 * cached, since the store turn may undo what a migration has written.
 *
 * <p>Confined to the object's turn.
 */
public final class GatedMigration implements MigrationStorage {

  private final Turn turns;
  private final StoreTurn store;
  private final StructuredClone clone;
  private final SqlStorage sql;
  private boolean ended;

  private GatedMigration(
      Turn turns, StoreTurn store, NamespaceOptions options, StructuredClone clone) {
    this.turns = turns;
    this.store = store;
    this.clone = clone;
    this.sql = new MigrationSql(options);
  }

  /**
   * {@return the migrations of a namespace, for one object}
   *
   * @param turns of the object
   * @param options of its namespace
   * @param clone how values of its namespace are stored
   */
  public static MigrationPlan plan(Turn turns, NamespaceOptions options, StructuredClone clone) {
    return new MigrationPlan(
        options.migrations(),
        options.newerMigrationsAllowed(),
        (step, store) -> new GatedMigration(turns, store, options, clone).run(step));
  }

  private void run(JavaMigration step) throws Exception {
    turns.enterEngine();
    OpenTransactions transactions = turns.work().transactions();
    transactions.beginMigration();
    try {
      step.code().run(this);
    } finally {
      ended = true;
      transactions.endMigration();
    }
    // Ends code that swallowed the exception of a reset.
    turns.unwindIfReset();
  }

  private void admit() {
    turns.check();
    if (ended) {
      throw new MisuseException(
          object().namespace(),
          object().id(),
          MisuseException.Reason.OUTSIDE_OF_TURN,
          "The storage of a migration cannot be used when its step has ended: use the storage of"
              + " the object's context.");
    }
  }

  @Override
  public SqlStorage sql() {
    admit();
    return sql;
  }

  @Override
  public <T> Optional<T> get(String key, Class<T> type) {
    return read(key, type);
  }

  @Override
  public <T> Optional<T> get(String key, TypeRef<T> type) {
    return read(key, type.type());
  }

  @SuppressWarnings("unchecked") // decoded as this type
  private <T> Optional<T> read(String key, Type type) {
    byte[] name = name(key);
    byte[] value = onStore(() -> store.get(name));
    return value == null
        ? Optional.empty()
        : Optional.ofNullable((T) values().decode(key, value, type));
  }

  @Override
  public List<String> keys(String prefix) {
    admit();
    turns.enterEngine();
    return onStore(() -> StoredNames.keys(object(), store, ListOptions.ALL.withPrefix(prefix)));
  }

  @Override
  public void put(String key, Object value) {
    byte[] name = name(key);
    byte[] bytes = values().encode(key, value);
    onStore(
        () -> {
          store.put(name, bytes);
          return Boolean.TRUE;
        });
  }

  @Override
  public boolean delete(String key) {
    byte[] name = name(key);
    return onStore(() -> store.delete(name));
  }

  private byte[] name(String key) {
    admit();
    turns.enterEngine();
    return new StorageKeys(object()).encode(key);
  }

  private StoredValues values() {
    return new StoredValues(object(), clone);
  }

  private ObjectKey object() {
    return turns.key();
  }

  /** After any exception of the store its state is unknown: the instance is reset. */
  private <R extends @Nullable Object> R onStore(Supplier<R> operation) {
    try {
      return operation.get();
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  private final class MigrationSql extends GatedSql {

    MigrationSql(NamespaceOptions options) {
      super(turns, options.sqlLimits(), clone);
    }

    @Override
    void admit() {
      GatedMigration.this.admit();
    }

    @Override
    StoreTurn store() {
      turns.enterEngine();
      return store;
    }
  }
}
