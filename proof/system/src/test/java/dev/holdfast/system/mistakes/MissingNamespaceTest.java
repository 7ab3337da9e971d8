package dev.holdfast.system.mistakes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.system.mistakes.Host.Probe;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Namespaces with data that are not registered; the log says which. */
final class MissingNamespaceTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void namespaceWithObjectsIsReportedAtEachOpening(StorageKind storage) throws Exception {
    run(storage, context -> context.storage().put("key", 1L));

    for (int i = 0; i < 2; i++) {
      assertThat(linesOfAnOpening())
          .singleElement()
          .asString()
          .startsWith(
              "WARNING namespace-missing: The namespace \"carts\" has objects in " + storage)
          .doesNotContain("alarm");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void namespaceWhoseObjectsAreGoneIsNotReported(StorageKind storage) throws Exception {
    run(storage, context -> context.storage().put("key", 1L));
    run(storage, context -> context.storage().deleteAll());

    assertThat(linesOfAnOpening()).isEmpty();
  }

  @Test
  void namespaceThatIsRegisteredIsNotReported() throws Exception {
    run(StorageKind.SQLITE, context -> context.storage().put("key", 1L));

    try (LogLines log = LogLines.of(LogEvent.NAMESPACE_MISSING)) {
      run(StorageKind.SQLITE, context -> {});
      assertThat(log.lines()).isEmpty();
    }
  }

  private List<String> linesOfAnOpening() {
    try (LogLines log = LogLines.of(LogEvent.NAMESPACE_MISSING)) {
      Host.open(directory, objects -> {}).close();
      return log.lines();
    }
  }

  private void run(StorageKind storage, Consumer<ObjectContext> body) throws Exception {
    try (ObjectRuntime runtime =
        Host.open(
            directory,
            objects ->
                objects.namespace(
                    "carts",
                    Probe.class,
                    context ->
                        argument -> {
                          body.accept(context);
                          return argument;
                        },
                    NamespaceOptions.DEFAULT.withStorage(storage)))) {
      runtime.namespace("carts", Probe.class).getByName("one").run(null);
    }
  }
}
