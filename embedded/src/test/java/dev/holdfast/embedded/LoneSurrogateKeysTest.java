package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys that UTF-8 cannot express are stored as the reference stores them, and are returned
 * unchanged.
 */
class LoneSurrogateKeysTest {

  private static final String LONE_HIGH = "\uD83D";
  private static final String LONE_LOW = "\uDE00";
  private static final String PAIR = LONE_HIGH + LONE_LOW;

  @TempDir Path directory;

  private ObjectRuntime open(StorageKind kind) {
    return Runtimes.open(
        directory,
        objects ->
            objects.namespace(
                "n", Scripted.class, Scripted::of, NamespaceOptions.DEFAULT.withStorage(kind)));
  }

  private <T> T on(StorageKind kind, Function<ObjectContext, T> code) {
    try (ObjectRuntime runtime = open(kind)) {
      return Scripted.in(runtime.namespace("n", Scripted.class).getByName("a"), code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void keysWithLoneSurrogatesAreDistinctAndComeBack(StorageKind kind) {
    List<String> keys = List.of(LONE_HIGH, "a" + LONE_LOW + "b", LONE_LOW, LONE_LOW + LONE_HIGH);
    on(
        kind,
        context -> {
          keys.forEach(key -> context.storage().put(key, key));
          context.storage().put(PAIR, PAIR);
          context.storage().put("?", "?");
          context.storage().put("\uFFFD", "\uFFFD");
          return null;
        });

    on(
        kind,
        context -> {
          ObjectStorage storage = context.storage();
          assertThat(storage.list(String.class).sequencedKeySet())
              .containsExactly(
                  "?",
                  "a" + LONE_LOW + "b",
                  LONE_HIGH,
                  LONE_LOW,
                  LONE_LOW + LONE_HIGH,
                  "\uFFFD",
                  PAIR);
          keys.forEach(key -> assertThat(storage.get(key, String.class)).contains(key));
          // By bytes a pair does not begin with its first half.
          assertThat(storage.list(ListOptions.ALL.withPrefix(LONE_HIGH), String.class).keySet())
              .containsExactly(LONE_HIGH);
          assertThat(storage.delete(keys)).isEqualTo(keys.size());
          assertThat(storage.list(String.class)).hasSize(3);
          return null;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void diffDistinguishesKeysWithLoneSurrogates(StorageKind kind) {
    try (ObjectRuntime runtime = open(kind)) {
      var objects = runtime.namespace("n", Scripted.class);
      Scripted object = objects.getByName("a");
      String from =
          Scripted.in(
              object,
              context -> {
                context.storage().put(LONE_HIGH, 1L);
                context.storage().put(LONE_LOW, 1L);
                return context.storage().getCurrentBookmark();
              });
      String to =
          Scripted.in(
              object,
              context -> {
                context.storage().put(LONE_HIGH, 2L);
                return context.storage().getCurrentBookmark();
              });

      assertThat(runtime.recovery("n", objects.idFromName("a")).diff(from, to))
          .hasSize(1)
          .allMatch(difference -> difference.kind() == Kind.CHANGED);
    }
  }
}
