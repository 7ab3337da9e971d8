package dev.holdfast.runtime.internal.storage;

import dev.holdfast.SqlException;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.clone.codec.ValueConverter;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlStorage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The SQL side of an object's storage. Confined to the object's turn. */
class GatedSql implements SqlStorage {

  /** SQLite's code for errors that are rules of the runtime. */
  private static final int SQLITE_ERROR = 1;

  private final Turn turns;
  private final SqlLimits limits;
  private final StructuredClone values;

  /** Whether it is still to be checked that the object has run no migrations. */
  private boolean mustBeUnmigrated;

  // What ended results have read and written, and the results that have not ended.
  private long rowsRead;
  private long rowsWritten;
  private final List<GatedCursor> open = new ArrayList<>(0);
  private @Nullable StoreTurn turnOfOpen;

  GatedSql(Turn turns, SqlLimits limits, StructuredClone values) {
    this.turns = turns;
    this.limits = limits;
    this.values = values;
  }

  /** Has the first statement fail if the object has run migrations: its namespace has none. */
  void requireUnmigrated() {
    mustBeUnmigrated = true;
  }

  private void checkMigrations(StoreTurn turn) {
    List<String> run = onStore(turn::migrationsRun);
    if (!run.isEmpty()) {
      throw new SqlException(
          turns.key().namespace(),
          turns.key().id(),
          "The object has run "
              + run.size()
              + " migrations, and none are given: were they forgotten? See"
              + " NamespaceOptions.withMigrations; or, if a newer version of the application only"
              + " added to the tables, allow that with NamespaceOptions.withNewerMigrationsAllowed",
          SQLITE_ERROR,
          null);
    }
    mustBeUnmigrated = false;
  }

  /** Checks that an operation is allowed now. */
  void admit() {
    turns.check();
  }

  /** Returns the store turn, after a door. */
  StoreTurn store() {
    return turns.storeTurn();
  }

  @Override
  public final SqlCursor exec(String query, @Nullable Object... bindings) {
    admit();
    @Nullable Object[] bound = new @Nullable Object[bindings.length];
    for (int i = 0; i < bindings.length; i++) {
      bound[i] = bind(i + 1, bindings[i]);
    }
    StoreTurn turn = store();
    if (mustBeUnmigrated) {
      checkMigrations(turn);
    }
    // Only SQLite can say whether a statement writes. A batch without a write has no position.
    turns.work().confirmBatch();
    SqlRows rows = onStore(() -> turn.exec(query, bound));
    settle(turn);
    GatedCursor cursor = new GatedCursor(this, rows);
    open.add(cursor);
    cursor.start();
    return cursor;
  }

  /** Results of an earlier turn read no further rows. */
  private void settle(StoreTurn turn) {
    if (!turn.equals(turnOfOpen)) {
      turnOfOpen = turn;
      open.forEach(this::count);
      open.clear();
    }
  }

  private void count(GatedCursor cursor) {
    rowsRead += cursor.rowsRead();
    rowsWritten += cursor.rowsWritten();
  }

  /** Records that a result has ended. */
  final void ended(GatedCursor cursor) {
    // Nearly always the last opened result ends first. A result of an earlier turn is already
    // counted.
    for (int at = open.size() - 1; at >= 0; at--) {
      if (open.get(at) == cursor) {
        open.remove(at);
        count(cursor);
        return;
      }
    }
  }

  @Override
  public final long rowsRead() {
    admit();
    return rowsRead + open.stream().mapToLong(GatedCursor::rowsRead).sum();
  }

  @Override
  public final long rowsWritten() {
    admit();
    return rowsWritten + open.stream().mapToLong(GatedCursor::rowsWritten).sum();
  }

  final StructuredClone values() {
    return values;
  }

  final long resultBytesMax() {
    return limits.resultBytesMax();
  }

  @Override
  public final long databaseSize() {
    admit();
    return onStore(store()::databaseSize);
  }

  /** Admits the read of a result, which may be done in any later turn. */
  final void admitRead() {
    admit();
    turns.enterEngine();
  }

  /** A refused statement leaves the object unchanged; any other failure resets it. */
  final <R extends @Nullable Object> R onStore(Supplier<R> operation) {
    try {
      return operation.get();
    } catch (SqlException e) {
      // A statement that a reset of the instance interrupts reports the reset, not an error of the
      // statement.
      turns.check();
      throw e;
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  final ObjectKey object() {
    return turns.key();
  }

  final SqlException refusal(String message) {
    return new SqlException(turns.key().namespace(), turns.key().id(), message, SQLITE_ERROR, null);
  }

  @SuppressWarnings("JavaUtilDate")
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
      case CharSequence text -> requireUtf8(index, text.toString());
      // In plain notation 1E+999999999 would have a billion digits; SQLite reads both notations.
      case BigDecimal number ->
          Math.abs((long) number.scale()) <= RuntimeBounds.PLAIN_SCALE_MAX
              ? number.toPlainString()
              : number.toString();
      case Enum<?> constant -> constant.name();
      case byte[] bytes -> bytes;
      case Instant time -> millis(index, time);
      case Date date -> date.getTime();
      case Character character -> requireUtf8(index, character.toString());
      case Optional<?> optional -> bind(index, optional.orElse(null));
      default -> bindOther(index, value);
    };
  }

  /** Binds a value as the text, or what else, that it is in a stored value. */
  private @Nullable Object bindOther(int index, Object value) {
    ValueConverter converter = values.converterOf(value.getClass());
    try {
      if (converter != null) {
        return bind(index, converter.toStored(value));
      }
      if (StructuredClone.hasText(value.getClass())) {
        return requireUtf8(index, StructuredClone.textOf(value));
      }
    } catch (StructuredCloneException e) {
      throw refusal("Parameter " + index + ": " + e.getMessage() + ".");
    }
    throw refusal(
        "Parameter "
            + index
            + " is a "
            + value.getClass().getName()
            + (value instanceof BigInteger ? " of more than 64 bits" : "")
            + ", which SQLite has no type for. Bind a text, a number or bytes, or give the"
            + " namespace a codec for it (NamespaceOptions.withCodec).");
  }

  private long millis(int index, Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw refusal(
          "Parameter " + index + " is " + time + ", whose milliseconds are more than 64 bits.");
    }
  }

  /** The native library would silently store another text, with a question mark. */
  private String requireUtf8(int index, String text) {
    int lone = KeyText.loneSurrogate(text, 0);
    if (lone >= 0) {
      throw refusal(
          "Parameter "
              + index
              + " has a lone surrogate at index "
              + lone
              + ", which UTF-8 cannot express: bind its bytes, or another text.");
    }
    return text;
  }
}
