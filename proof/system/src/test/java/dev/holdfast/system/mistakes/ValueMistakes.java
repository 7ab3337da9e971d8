package dev.holdfast.system.mistakes;

import dev.holdfast.storage.ObjectStorage;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Arguments, results and stored values. */
final class ValueMistakes {

  private ValueMistakes() {}

  /** A class with a state of its own. */
  static final class Basket {
    private int items;

    void add() {
      items++;
    }

    @Override
    public String toString() {
      return items + " items";
    }
  }

  /** Anyone may implement it. */
  interface Payment {}

  record Card(String number) implements Payment {}

  record Cash(long cents) implements Payment {}

  record Order(String id, Payment payment) {}

  record Person(String firstName, String lastName) {}

  record Removed(String lastName) {}

  record Renamed(String givenName, String lastName) {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "an argument that is a thread",
            host ->
                host.stub(Host.PROBES, (_, _) -> null)
                    .blocking()
                    .run(Map.of("items", List.of(1, Map.of("owner", new Thread()))))),
        Mistake.of(
            "an argument that is a lambda",
            host ->
                host.stub(Host.PROBES, (_, _) -> null)
                    .blocking()
                    .run((Supplier<String>) () -> "later")),
        Mistake.of(
            "a result that is an open stream",
            host -> host.inside(Host.PROBES, (_, _) -> InputStream.nullInputStream())),
        Mistake.of(
            "an argument that is a mutable class",
            host -> host.stub(Host.PROBES, (_, _) -> null).blocking().run(basket())),
        Mistake.of(
            "a stored mutable class", host -> host.storage(storage -> storage.put("b", basket()))),
        Mistake.of(
            "a stored Optional of an Optional",
            host -> host.storage(storage -> storage.put("o", Optional.of(Optional.empty())))),
        Mistake.of(
            "a stored record of an interface that is not sealed",
            host ->
                host.storage(storage -> storage.put("order", new Order("o-1", new Card("4711"))))),
        Mistake.of(
            "a stored value read as an interface that is not sealed",
            host ->
                host.storage(
                    storage -> {
                      storage.put("payment", new Cash(100));
                      storage.get("payment", Payment.class);
                    })),
        Mistake.of("a text read as a number", host -> host.storage(ValueMistakes::textAsNumber)),
        Mistake.of(
            "a number too large for its type",
            host ->
                host.storage(
                    storage -> {
                      storage.put("count", 1L << 40);
                      storage.get("count", Integer.class);
                    })),
        Mistake.of(
            "a component that was renamed",
            host ->
                host.storage(
                    storage -> {
                      storage.put("person", new Person("Ada", "King"));
                      storage.get("person", Renamed.class);
                    })),
        Mistake.of(
            "a component that was removed",
            host ->
                host.storage(
                    storage -> {
                      storage.put("person", new Person("Ada", "King"));
                      storage.get("person", Removed.class);
                    })));
  }

  private static Basket basket() {
    Basket basket = new Basket();
    basket.add();
    return basket;
  }

  private static void textAsNumber(ObjectStorage storage) {
    storage.put("count", "seven");
    storage.get("count", Long.class);
  }
}
