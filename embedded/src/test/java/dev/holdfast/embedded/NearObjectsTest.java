package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.Page;
import dev.holdfast.StorageKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects whose names are near another object, on every storage engine. */
@Timeout(60)
class NearObjectsTest {

  @TempDir Path directory;

  static Stream<StorageKind> storages() {
    return Stream.of(StorageKind.SQLITE, StorageKind.ROCKSDB);
  }

  private static Consumer<ObjectRegistrar> objects(StorageKind storage) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withStorage(storage);
    return objects ->
        objects
            .namespace("customers", Scripted.class, Scripted::of, options)
            .namespace("orders", Scripted.class, Scripted::of, options);
  }

  private static ObjectNamespace<Scripted> orders(ObjectRuntime runtime) {
    return runtime.namespace("orders", Scripted.class);
  }

  private static ObjectId customer(ObjectRuntime runtime, String name) {
    return runtime.namespace("customers", Scripted.class).idFromName(name);
  }

  private static String put(Scripted object, String value) {
    return Scripted.in(
        object,
        context -> {
          context.storage().put("value", value);
          return context.storage().getCurrentBookmark();
        });
  }

  private static Optional<String> get(Scripted object) {
    return Scripted.in(object, context -> context.storage().get("value", String.class));
  }

  private static List<ObjectId> list(ObjectNamespace<?> namespace, int limit) {
    List<ObjectId> listed = new ArrayList<>();
    ObjectListOptions options = ObjectListOptions.ALL.withLimit(limit);
    while (true) {
      Page<ObjectId> page = namespace.list(options);
      listed.addAll(page.items());
      if (page.nextCursor().isEmpty()) {
        return listed;
      }
      options = options.withCursor(page.nextCursor().get());
    }
  }

  @ParameterizedTest
  @MethodSource("storages")
  void nameAndSlotTogetherNameAnObjectAndListsShowAll(StorageKind storage) {
    List<ObjectId> ids;
    try (ObjectRuntime runtime = Runtimes.open(directory, objects(storage))) {
      ObjectNamespace<Scripted> orders = orders(runtime);
      put(orders.getByName("17"), "plain");
      put(orders.getByName("17", customer(runtime, "ann")), "of ann");
      put(orders.getByName("17", customer(runtime, "bob")), "of bob");
      put(orders.getByName("18"), "next");

      assertThat(get(orders.getByName("17"))).hasValue("plain");
      assertThat(get(orders.stub("17", customer(runtime, "ann")).blocking())).hasValue("of ann");
      ObjectId ann = orders.idFromName("17", customer(runtime, "ann"));
      assertThat(get(orders.get(orders.idFromString(ann.toString())))).hasValue("of ann");
      ids =
          Stream.of(orders.idFromName("17"), ann, orders.idFromName("17", customer(runtime, "bob")))
              .sorted((one, other) -> one.toString().compareTo(other.toString()))
              .toList();
      assertThatNullPointerException().isThrownBy(() -> orders.getByName("17", null));
    }
    try (ObjectRuntime runtime = Runtimes.open(directory, objects(storage))) {
      ObjectNamespace<Scripted> orders = orders(runtime);
      for (int limit : new int[] {1, 2, 3, 100}) {
        List<ObjectId> listed = list(orders, limit);
        assertThat(listed.subList(0, 3)).isEqualTo(ids);
        assertThat(listed).hasSize(4).last().isEqualTo(orders.idFromName("18"));
        assertThat(listed.stream().map(ObjectId::name))
            .containsExactly(
                Optional.of("17"), Optional.of("17"), Optional.of("17"), Optional.of("18"));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("storages")
  void forkNearAnotherObjectHasItsSlot(StorageKind storage) {
    try (ObjectRuntime runtime = Runtimes.open(directory, objects(storage))) {
      ObjectNamespace<Scripted> orders = orders(runtime);
      ObjectId origin = orders.idFromName("17", customer(runtime, "ann"));
      String before = put(orders.get(origin), "before");
      put(orders.get(origin), "after");

      runtime.recovery("orders", origin).fork(before, "17-before", origin);

      ObjectId fork = orders.idFromName("17-before", customer(runtime, "ann"));
      assertThat(fork.slot()).isEqualTo(origin.slot());
      assertThat(get(orders.get(fork))).hasValue("before");
      assertThat(runtime.admin().exists("orders", orders.idFromName("17-before"))).isFalse();
      assertThatThrownBy(() -> runtime.recovery("orders", origin).fork(before, "17-before", fork))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
