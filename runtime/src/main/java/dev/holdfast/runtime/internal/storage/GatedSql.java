package dev.holdfast.runtime.internal.storage;

import dev.holdfast.SqlException;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlStorage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The SQL side of an object's storage. Owned by the object's turn. */
final class GatedSql implements SqlStorage {

  /** SQLite's code for errors that are rules of the runtime. */
  private static final int SQLITE_ERROR = 1;

  private static final int PLAIN_SCALE_MAX = 1_000;

  private final Turns turns;
  private final SqlLimits limits;

  // What results that have ended have read and written; and those that have not.
  private long rowsRead;
  private long rowsWritten;
  private final List<GatedCursor> open = new ArrayList<>(0);
  private @Nullable StoreTurn turnOfOpen;

  GatedSql(Turns turns, SqlLimits limits) {
    this.turns = turns;
    this.limits = limits;
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
    turns.confirmBatch();
    SqlRows rows = guarded(() -> turn.exec(query, bound));
    settle(turn);
    GatedCursor cursor = new GatedCursor(this, rows);
    open.add(cursor);
    cursor.start();
    return cursor;
  }

  /** Results of an earlier turn read nothing any more. */
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

  /** Takes note that a result has come to its end. */
  void ended(GatedCursor cursor) {
    // The last one opened is the one that ends, nearly always. One of an earlier turn is settled.
    for (int at = open.size() - 1; at >= 0; at--) {
      if (open.get(at) == cursor) {
        open.remove(at);
        count(cursor);
        return;
      }
    }
  }

  @Override
  public long rowsRead() {
    turns.check();
    return rowsRead + open.stream().mapToLong(GatedCursor::rowsRead).sum();
  }

  @Override
  public long rowsWritten() {
    turns.check();
    return rowsWritten + open.stream().mapToLong(GatedCursor::rowsWritten).sum();
  }

  long resultBytesMax() {
    return limits.resultBytesMax();
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
      // A statement that was stopped because the instance was reset is no error of the statement.
      turns.check();
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
      case CharSequence text -> requireUtf8(index, text.toString());
      // Written out, 1E+999999999 would have a billion digits; SQLite reads both forms.
      case BigDecimal number ->
          Math.abs((long) number.scale()) <= PLAIN_SCALE_MAX
              ? number.toPlainString()
              : number.toString();
      case Enum<?> constant -> constant.name();
      case byte[] bytes -> bytes;
      case Instant time -> millis(index, time);
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

  private long millis(int index, Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw refusal(
          "Parameter " + index + " is " + time + ", whose milliseconds are more than 64 bits.");
    }
  }

  /** The native library would store another text, with a question mark, and nobody would see it. */
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
