package dev.holdfast.runtime.internal.storage;

import dev.holdfast.SqlException;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlStorage;
import java.math.BigInteger;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The SQL side of an object's storage. Owned by the object's turn. */
final class GatedSql implements SqlStorage {

  /** SQLite's code for errors that are rules of the runtime. */
  private static final int SQLITE_ERROR = 1;

  private final Turns turns;

  GatedSql(Turns turns) {
    this.turns = turns;
  }

  @Override
  public SqlCursor exec(String query, @Nullable Object... bindings) {
    turns.check();
    @Nullable Object[] bound = new @Nullable Object[bindings.length];
    for (int i = 0; i < bindings.length; i++) {
      bound[i] = bind(i + 1, bindings[i]);
    }
    StoreTurn turn = turns.storeTurn();
    // Whether a statement writes is known only to SQLite; a batch without a write has no position.
    turns.confirmWrites();
    return new GatedCursor(this, guarded(() -> turn.exec(query, bound)));
  }

  @Override
  public long databaseSize() {
    StoreTurn turn = turns.storeTurn();
    return guarded(turn::databaseSize);
  }

  /** A refused statement leaves the object as it is; everything else resets it. */
  <R extends @Nullable Object> R guarded(Supplier<R> operation) {
    turns.check();
    try {
      return operation.get();
    } catch (SqlException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  SqlException refusal(String message) {
    return new SqlException(turns.key().namespace(), turns.key().id(), message, SQLITE_ERROR, null);
  }

  private @Nullable Object bind(int index, @Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Long number -> number;
      case Integer number -> number.longValue();
      case Short number -> number.longValue();
      case Byte number -> number.longValue();
      case Boolean bool -> bool ? 1L : 0L;
      case Double number -> number;
      case Float number -> number.doubleValue();
      case BigInteger number when number.bitLength() < Long.SIZE -> number.longValue();
      case CharSequence text -> text.toString();
      case Enum<?> constant -> constant.name();
      case byte[] bytes -> bytes;
      case Instant time -> time.toEpochMilli();
      default ->
          throw refusal(
              "Parameter "
                  + index
                  + " is a "
                  + value.getClass().getName()
                  + (value instanceof BigInteger ? " of more than 64 bits" : "")
                  + ", which SQLite has no type for.");
    };
  }
}
