package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlStorage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How Java values are stored in a table, and how they are read back. */
class SqlValuesTest {

  @TempDir private Path directory;

  private void inObject(Consumer<SqlStorage> work) {
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            objects ->
                objects.namespace("db", Scripted.class, Scripted::of, NamespaceOptions.DEFAULT))) {
      Scripted.in(
          runtime.namespace("db", Scripted.class).getByName("a"),
          context -> {
            work.accept(context.storage().sql());
            return true;
          });
    }
  }

  /** In a column without a type, so that SQLite converts nothing. */
  private static void assertStored(
      SqlStorage sql, @Nullable Object value, String type, @Nullable Object back) {
    sql.exec("CREATE TABLE IF NOT EXISTS kept (v); DELETE FROM kept");
    sql.exec("INSERT INTO kept VALUES (?)", Arrays.asList(value).toArray());
    List<@Nullable Object> row = sql.exec("SELECT typeof(v), v FROM kept").raw().one();
    assertThat(row).isEqualTo(Arrays.asList(type, back));
  }

  @Test
  void valueOfEachTypeIsStoredAsItsDocumentedType() {
    inObject(
        sql -> {
          assertStored(sql, null, "null", null);
          assertStored(sql, true, "integer", 1L);
          assertStored(sql, false, "integer", 0L);
          assertStored(sql, Byte.MIN_VALUE, "integer", -128L);
          assertStored(sql, Short.MAX_VALUE, "integer", 32_767L);
          assertStored(sql, Integer.MIN_VALUE, "integer", (long) Integer.MIN_VALUE);
          assertStored(sql, BigInteger.valueOf(Long.MIN_VALUE), "integer", Long.MIN_VALUE);
          assertStored(sql, 0.1f, "real", (double) 0.1f);
          assertStored(sql, new StringBuilder("text"), "text", "text");
          assertStored(sql, new BigDecimal("1E+3"), "text", "1000");
          assertStored(sql, new BigDecimal("0.10"), "text", "0.10");
          assertStored(sql, DayOfWeek.FRIDAY, "text", "FRIDAY");
          assertStored(sql, Instant.ofEpochSecond(1, 999_999_999), "integer", 1_999L);
          assertStored(sql, Instant.ofEpochMilli(-1), "integer", -1L);
        });
  }

  @Test
  void numbersAtTheEdgesComeBackExactly() {
    inObject(
        sql -> {
          for (long number : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, (1L << 53) + 1, 0, -1}) {
            assertStored(sql, number, "integer", number);
          }
          for (double number :
              new double[] {
                1.0,
                0.1,
                Double.MAX_VALUE,
                Double.MIN_VALUE,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
              }) {
            assertStored(sql, number, "real", number);
          }
          assertStored(sql, "\0\uD83D\uDE00 \uFFFD\uFEFF", "text", "\0\uD83D\uDE00 \uFFFD\uFEFF");
        });
  }

  /** SQLite has no NaN. */
  @Test
  void notANumberIsNull() {
    inObject(sql -> assertStored(sql, Double.NaN, "null", null));
  }

  /** UTF-8 cannot express them, and storing another text would be a silent loss. */
  @Test
  void textWithALoneSurrogateIsRefused() {
    inObject(
        sql -> {
          for (String text : List.of("\uD800", "a\uDC00b", "\uDE00\uD83D", "\uD83D")) {
            assertThatThrownBy(() -> sql.exec("SELECT ?", text))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("Parameter 1")
                .hasMessageContaining("surrogate");
            assertThatThrownBy(() -> sql.exec("SELECT '" + text + "'"))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("surrogate");
          }
        });
  }

  @Test
  void valueWithoutATypeInSqliteIsRefusedByItsNumber() {
    inObject(
        sql -> {
          assertThatThrownBy(() -> sql.exec("SELECT ?, ?", 1, new Object()))
              .isInstanceOf(SqlException.class)
              .hasMessageStartingWith("Parameter 2 is a java.lang.Object");
          assertThatThrownBy(() -> sql.exec("SELECT ?", BigInteger.ONE.shiftLeft(63)))
              .isInstanceOf(SqlException.class)
              .hasMessageContaining("more than 64 bits");
        });
  }

  /** Otherwise eleven characters of foreign JSON would become a text of a gigabyte. */
  @Test
  void decimalOfManyZerosIsNotWrittenOut() {
    inObject(
        sql -> {
          assertStored(sql, new BigDecimal("1E+999999999"), "text", "1E+999999999");
          assertStored(sql, new BigDecimal("1E-999999999"), "text", "1E-999999999");
        });
  }

  @Test
  void instantBeyondTheMillisecondsOfALongIsRefused() {
    inObject(
        sql ->
            assertThatThrownBy(() -> sql.exec("SELECT ?", Instant.MAX))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining(Instant.MAX.toString()));
  }
}
