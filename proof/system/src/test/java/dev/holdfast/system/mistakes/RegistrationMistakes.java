package dev.holdfast.system.mistakes;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.system.mistakes.Host.Probe;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Namespaces, their interfaces and their factories. */
final class RegistrationMistakes {

  private RegistrationMistakes() {}

  /** An interface whose result is not a value. */
  interface Later {
    CompletableFuture<String> load();
  }

  /** An interface whose argument has no copies. */
  interface Crew {
    void hire(List<Thread> hands);
  }

  /** An interface whose result is read later. */
  interface Lines {
    Stream<String> lines();
  }

  /** An interface that only its own implementations may extend. */
  sealed interface Shape permits Circle {
    double area();
  }

  record Circle(double area) implements Shape {}

  /** An interface that the object of a factory lacks. */
  interface Counter {
    long add(long delta);
  }

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "a namespace with a malformed name",
            host -> host.register(objects -> probes(objects, "my carts"))),
        Mistake.of(
            "a namespace named like a file",
            host -> host.register(objects -> probes(objects, "carts.sqlite"))),
        Mistake.of(
            "a namespace registered twice",
            host -> host.register(objects -> probes(probes(objects, "carts"), "carts"))),
        Mistake.of(
            "two namespaces that differ in case",
            host -> host.register(objects -> probes(probes(objects, "carts"), "Carts"))),
        Mistake.of(
            "a class instead of an interface",
            host ->
                host.register(objects -> objects.namespace("carts", String.class, _ -> "cart"))),
        Mistake.of(
            "a sealed interface",
            host ->
                host.register(
                    objects -> objects.namespace("shapes", Shape.class, _ -> new Circle(1)))),
        Mistake.of(
            "an interface that returns a future",
            host -> host.register(objects -> objects.namespace("carts", Later.class, _ -> null))),
        Mistake.of(
            "an interface that returns a stream",
            host -> host.register(objects -> objects.namespace("carts", Lines.class, _ -> null))),
        Mistake.of(
            "an interface with an argument that cannot be copied",
            host -> host.register(objects -> objects.namespace("carts", Crew.class, _ -> null))),
        Mistake.of(
            "an interface with a suspend function of Kotlin",
            host -> host.register(objects -> none(objects, SuspendFunction.type()))),
        Mistake.of(
            "an interface of a package that is not exported",
            host -> {
              Class<?> hidden = Class.forName("sun.security.util.DerEncoder");
              host.register(objects -> none(objects, hidden));
            }),
        Mistake.of(
            "no factory",
            host -> host.register(objects -> objects.namespace("carts", Probe.class, nothing()))),
        Mistake.of(
            "RocksDB with migrations",
            host ->
                host.register(
                    objects ->
                        objects.namespace(
                            "carts",
                            Probe.class,
                            _ -> null,
                            NamespaceOptions.DEFAULT
                                .withStorage(StorageKind.ROCKSDB)
                                .withMigrations(
                                    List.of(
                                        new SqlMigration("items", "CREATE TABLE item (id)")))))),
        Mistake.of(
            "a filter of a namespace that is not registered",
            host ->
                host.register(
                    objects -> probes(objects, "carts").filter("cart", call -> call.proceed()))),
        Mistake.of(
            "a namespace registered after the opening",
            host -> {
              AtomicReference<ObjectRegistrar> kept = new AtomicReference<>();
              try (ObjectRuntime _ =
                  Host.open(host.missing(), objects -> kept.set(probes(objects, "carts")))) {
                probes(kept.get(), "orders");
              }
            }),
        Mistake.of(
            "options that are set after the opening",
            host -> {
              AtomicReference<ObjectRegistrar> kept = new AtomicReference<>();
              try (ObjectRuntime _ =
                  Host.open(host.missing(), objects -> kept.set(probes(objects, "carts")))) {
                kept.get().options(RuntimeOptions.DEFAULT);
              }
            }),
        Mistake.of(
            "a namespace that was not registered",
            host -> host.runtime().namespace("carts", Probe.class)),
        Mistake.of(
            "a namespace asked for with another interface",
            host -> host.runtime().namespace(Host.PROBES, Counter.class)),
        Mistake.of(
            "a namespace that changes its storage",
            host -> {
              Path directory = host.missing();
              written(directory, StorageKind.SQLITE);
              written(directory, StorageKind.ROCKSDB);
            }),
        Mistake.of(
            "a factory that throws",
            host ->
                called(
                    host,
                    objects ->
                        objects.namespace(
                            "counters",
                            Counter.class,
                            _ -> {
                              throw new IllegalStateException("no pool of connections");
                            }))),
        Mistake.of(
            "a factory that returns null",
            host ->
                called(
                    host, objects -> objects.namespace("counters", Counter.class, _ -> nothing()))),
        Mistake.of(
            "a factory that makes something else",
            host -> called(host, RegistrationMistakes::somethingElse)));
  }

  private static ObjectRegistrar probes(ObjectRegistrar objects, String name) {
    return objects.namespace(name, Probe.class, _ -> argument -> argument);
  }

  private static <T> void none(ObjectRegistrar objects, Class<T> type) {
    objects.namespace("carts", type, _ -> nothing());
  }

  /** As an application without null checks. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as an application that ignores such warnings
  private static void somethingElse(ObjectRegistrar objects) {
    objects.namespace("counters", (Class) Counter.class, _ -> "not a counter");
  }

  private static void called(
      Host host, java.util.function.Consumer<ObjectRegistrar> registrations) {
    try (ObjectRuntime runtime = Host.open(host.missing(), registrations)) {
      runtime.namespace("counters", Counter.class).getByName("one").add(1);
    }
  }

  private static void written(Path directory, StorageKind kind) throws Exception {
    try (ObjectRuntime runtime =
        Host.open(
            directory,
            objects ->
                objects.namespace(
                    "carts",
                    Probe.class,
                    context ->
                        argument -> {
                          context.storage().put("key", "value");
                          return argument;
                        },
                    NamespaceOptions.DEFAULT.withStorage(kind)))) {
      runtime.namespace("carts", Probe.class).getByName("one").run(null);
    }
  }
}
