package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.embedded.sql.SqlObject;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Name;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows as records. */
final class SqlRecordTest {

  @TempDir private Path directory;
  private SqlObject object;

  @BeforeEach
  void make() {
    object = new SqlObject(directory);
  }

  record Person(
      long id,
      String firstName,
      @Nullable Integer age,
      double height,
      boolean active,
      BigDecimal balance,
      BigInteger big,
      Instant born,
      DayOfWeek day,
      byte[] photo) {}

  @Test
  void rowsBecomeRecordsExactly() {
    object.run(
        sql -> {
          sql.exec(
              "CREATE TABLE person (id INTEGER PRIMARY KEY, first_name TEXT, AGE, height REAL,"
                  + " active, balance TEXT, big, born, day, photo, other)");
          Instant born = Instant.ofEpochMilli(123_456_789);
          sql.exec(
              "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'not asked for')",
              7,
              "Ada",
              null,
              1.5,
              true,
              new BigDecimal("12.340"),
              BigInteger.valueOf(Long.MAX_VALUE),
              born,
              DayOfWeek.FRIDAY,
              new byte[] {1, 2});

          Person person = sql.exec("SELECT * FROM person").as(Person.class).one();

          assertThat(person.id()).isEqualTo(7);
          assertThat(person.firstName()).isEqualTo("Ada");
          assertThat(person.age()).isNull();
          assertThat(person.height()).isEqualTo(1.5);
          assertThat(person.active()).isTrue();
          assertThat(person.balance()).isEqualTo(new BigDecimal("12.340"));
          assertThat(person.big()).isEqualTo(BigInteger.valueOf(Long.MAX_VALUE));
          assertThat(person.born()).isEqualTo(born);
          assertThat(person.day()).isEqualTo(DayOfWeek.FRIDAY);
          assertThat(person.photo()).containsExactly(1, 2);
        });
  }

  record Small(int value) {}

  record Wide(double value) {}

  record Unknown(Thread value) {}

  @Test
  void whatDoesNotFitARecordIsRefused() {
    object.run(
        sql -> {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 1 AS other").as(Small.class))
              .withMessageContaining("no column for the component \"value\"");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 1 AS value").as(Unknown.class))
              .withMessageContaining("java.lang.Thread");
          for (String value : List.of("3000000000", "1.5", "'1'", "NULL", "x'00'")) {
            assertThatIllegalArgumentException()
                .as(value)
                .isThrownBy(() -> sql.exec("SELECT " + value + " AS value").as(Small.class).next())
                .withMessageContaining(value.equals("NULL") ? "is NULL" : "does not fit");
          }
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 9007199254740993 AS value").as(Wide.class).next());
          assertThat(sql.exec("SELECT -7 AS value").as(Small.class).toList())
              .containsExactly(new Small(-7));
        });
  }

  /** As a data class of Kotlin is compiled. */
  static final class Article {
    private final long id;

    private final String name;
    private final Optional<DayOfWeek> day;

    Article(
        @Name("id") long id,
        @Alias("title") @Name("name") String name,
        @Name("day") Optional<DayOfWeek> day) {
      if (id == 0) {
        throw new IllegalArgumentException("no article");
      }
      this.id = id;
      this.name = name;
      this.day = day;
    }

    @Override
    public String toString() {
      return id + " " + name + " " + day.map(DayOfWeek::name).orElse("never");
    }
  }

  /** More state than a constructor takes would be lost. */
  static final class Counter {
    int count;
  }

  @Test
  void rowsBecomeInstancesOfClassesByTheRulesOfValues() {
    object.run(
        sql -> {
          assertThat(
                  sql.exec("SELECT 7 AS id, 'pen' AS title, 'FRIDAY' AS day")
                      .as(Article.class)
                      .one())
              .hasToString("7 pen FRIDAY");
          assertThat(sql.exec("SELECT 8 AS ID, 'ink' AS Name, NULL AS day").as(Article.class).one())
              .hasToString("8 ink never");
          assertThatIllegalArgumentException()
              .isThrownBy(
                  () -> sql.exec("SELECT 0 AS id, '' AS name, NULL AS day").as(Article.class).one())
              .withMessageContaining("no article");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 0 AS count").as(Counter.class))
              .withMessageContaining("Counter")
              .withMessageContaining("constructor");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 0 AS count").as(List.class))
              .withMessageContaining("make it a record");
        });
  }

  // ---- Limits -------------------------------------------------------------------------------
}
