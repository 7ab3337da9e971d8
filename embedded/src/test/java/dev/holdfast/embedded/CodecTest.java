package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of applications in every place where values are: keys, calls, parameters and rows. */
public final class CodecTest {

  /** Has state that no constructor takes. */
  public static final class Money {
    private long cents;

    static Money of(long cents) {
      Money money = new Money();
      money.cents = cents;
      return money;
    }

    static Money parse(String text) {
      return of(Long.parseLong(text.replace(".", "")));
    }

    Money plus(Money other) {
      cents += other.cents;
      return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Money that && cents == that.cents;
    }

    @Override
    public int hashCode() {
      return Objects.hash(cents);
    }

    @Override
    public String toString() {
      return cents / 100 + "." + String.format(Locale.ROOT, "%02d", cents % 100);
    }
  }

  /** Values. */
  public record Line(String item, Money price, Optional<Money> discount) {}

  /** Values. */
  public record PricedRow(String item, Money price, Optional<Money> discount) {}

  /** Values. */
  public record TextRow(
      UUID id,
      LocalDate day,
      Duration length,
      Locale language,
      Currency currency,
      char grade,
      Optional<UUID> parent) {}

  /** A cart whose prices are {@link Money}. */
  public interface Cart {

    /** Adds a line; returns the total. */
    Money add(Line line);

    /** Returns all lines. */
    List<Line> lines();

    /** Adds a line to a table; returns it as it is read from there. */
    PricedRow addRow(Line line);
  }

  static final class CartObject implements Cart {

    private static final TypeRef<List<Line>> LINES = new TypeRef<>() {};

    private final ObjectStorage storage;

    CartObject(ObjectContext context) {
      this.storage = context.storage();
    }

    @Override
    public Money add(Line line) {
      List<Line> lines = new ArrayList<>(lines());
      lines.add(line);
      storage.put("lines", lines);
      Money total = storage.get("total", Money.class).orElse(Money.of(0)).plus(line.price());
      storage.put("total", total);
      return total;
    }

    @Override
    public List<Line> lines() {
      return storage.get("lines", LINES).orElse(List.of());
    }

    @Override
    public PricedRow addRow(Line line) {
      SqlStorage sql = storage.sql();
      sql.exec("CREATE TABLE line (item TEXT, price TEXT, discount TEXT)");
      sql.exec("INSERT INTO line VALUES (?, ?, ?)", line.item(), line.price(), line.discount());
      SqlRow row = sql.exec("SELECT price FROM line WHERE price = ?", line.price()).one();
      assertThat(row.get("price", Money.class)).isEqualTo(line.price());
      return sql.exec("SELECT * FROM line").as(PricedRow.class).one();
    }
  }

  private static final NamespaceOptions WITH_MONEY =
      NamespaceOptions.DEFAULT.withCodec(
          Codec.of(Money.class, String.class, Money::toString, Money::parse));

  @TempDir private Path directory;

  CodecTest() {}

  @Test
  void valuesOfACodecAreStoredAndPassedAndBound() {
    Line nut = new Line("nut", Money.of(150), Optional.of(Money.of(5)));
    Line bolt = new Line("bolt", Money.of(75), Optional.empty());
    try (ObjectRuntime runtime = open()) {
      Cart cart = runtime.namespace("carts", Cart.class).getByName("a");
      assertThat(cart.add(nut)).isEqualTo(Money.of(150));
      assertThat(cart.add(bolt)).isEqualTo(Money.of(225));
      assertThat(cart.addRow(nut))
          .isEqualTo(new PricedRow("nut", Money.of(150), Optional.of(Money.of(5))));
    }
    try (ObjectRuntime runtime = open()) {
      Cart cart = runtime.namespace("carts", Cart.class).getByName("a");
      assertThat(cart.lines()).containsExactly(nut, bolt);
    }
  }

  private ObjectRuntime open() {
    return Runtimes.open(
        directory, objects -> objects.namespace("carts", Cart.class, CartObject::new, WITH_MONEY));
  }

  @Test
  void interfaceWithATypeThatCannotBeCopiedIsRefusedAtRegistration() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Runtimes.open(
                        directory,
                        objects -> objects.namespace("carts", Cart.class, CartObject::new))
                    .close())
        .withMessageContaining("Cart.")
        .withMessageContaining("Money: it ")
        .withMessageContaining("NamespaceOptions.withCodec");
  }

  @Test
  void valueThatTheCodecRefusesIsATypedError() {
    NamespaceOptions refusing =
        NamespaceOptions.DEFAULT.withCodec(
            Codec.of(Money.class, String.class, Money::toString, CodecTest::refuse));
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            objects -> objects.namespace("scripts", Scripted.class, Scripted::of, refusing))) {
      Scripted object = runtime.namespace("scripts", Scripted.class).getByName("a");
      boolean isStored =
          Scripted.in(
              object,
              context -> {
                context.storage().put("price", Money.of(5));
                assertThatThrownBy(() -> context.storage().get("price", Money.class))
                    .isInstanceOf(UncopyableValueException.class)
                    .hasMessageContaining("The value of key \"price\" cannot be read as ")
                    .hasMessageContaining("the codec of " + Money.class.getTypeName() + " failed")
                    .hasMessageContaining("no money");
                return context.storage().list(Object.class).equals(Map.of("price", "0.05"));
              });
      assertThat(isStored).isTrue();
    }
  }

  private static Money refuse(String text) {
    throw new IllegalStateException("no money: " + text);
  }

  @Test
  void typesThatAreTextsInStoredValuesAreTextsInTables() {
    TextRow row =
        new TextRow(
            new UUID(1, 2),
            LocalDate.of(2026, 2, 28),
            Duration.ofNanos(1_500),
            Locale.GERMANY,
            Currency.getInstance("EUR"),
            'b',
            Optional.empty());
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory, objects -> objects.namespace("scripts", Scripted.class, Scripted::of))) {
      Scripted object = runtime.namespace("scripts", Scripted.class).getByName("a");
      TextRow read =
          Scripted.in(
              object,
              context -> {
                SqlStorage sql = context.storage().sql();
                sql.exec("CREATE TABLE t (id, day, length, language, currency, grade, parent)");
                sql.exec(
                    "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row.id(),
                    row.day(),
                    row.length(),
                    row.language(),
                    row.currency(),
                    row.grade(),
                    row.parent());
                SqlRow one = sql.exec("SELECT * FROM t WHERE day < date('2027-01-01')").one();
                assertThat(one.getString("language")).isEqualTo("de-DE");
                assertThat(one.get("id", UUID.class)).isEqualTo(row.id());
                assertThat(one.get("parent", UUID.class)).isNull();
                assertThatIllegalArgumentException()
                    .isThrownBy(() -> one.get("day", UUID.class))
                    .withMessageContaining("does not fit UUID");
                assertThatIllegalArgumentException()
                    .isThrownBy(() -> one.get("day", Thread.class))
                    .withMessageContaining("cannot be read as java.lang.Thread");
                return sql.exec("SELECT * FROM t").as(TextRow.class).one();
              });
      assertThat(read).isEqualTo(row);
    }
  }
}
