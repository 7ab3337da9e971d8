package dev.holdfast.embedded.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page of objects: what each has, and how much is read for it. */
final class ObjectPageTest {

  @TempDir private Path directory;

  private ObjectRuntime open() {
    return Holdfast.open(
        directory,
        objects ->
            objects
                .namespace("sqlite", Scripted.class, Scripted::withAlarm)
                .namespace(
                    "rocks",
                    Scripted.class,
                    Scripted::withAlarm,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private static void write(
      ObjectRuntime runtime, String namespace, String name, Consumer<ObjectStorage> code) {
    Scripted.in(
        runtime.namespace(namespace, Scripted.class).getByName(name),
        context -> {
          code.accept(context.storage());
          return name;
        });
  }

  private static List<Map<String, @Nullable Object>> page(ObjectRuntime runtime, String namespace) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    new Operations(((Inspectable) runtime).inspected())
        .perform(
            OperatorRequest.of("objects").with("namespace", namespace).with("limit", 10L),
            answers::add);
    return answers;
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite", "rocks"})
  void alarmsAreShown(String namespace) {
    try (ObjectRuntime runtime = open()) {
      write(runtime, namespace, "with", storage -> storage.setAlarm(Accounts.ALARM));
      write(runtime, namespace, "without", storage -> storage.put("key", "value"));

      assertThat(page(runtime, namespace))
          .extracting(each -> each.get("name"), each -> each.get("alarm"))
          .containsExactly(tuple("with", Accounts.ALARM.toString()), tuple("without", null));
    }
  }

  @Test
  void sizesThatAreReadAreBounded() {
    try (ObjectRuntime runtime = open()) {
      for (String name : List.of("a", "b", "c")) {
        write(
            runtime,
            "rocks",
            name,
            storage -> {
              for (int key = 0; key < 100; key++) {
                storage.put("key" + key, new byte[100_000]);
              }
            });
      }

      assertThat(page(runtime, "rocks"))
          .extracting(each -> each.get("bytes") != null)
          .containsExactly(true, true, false);
    }
  }
}
