package dev.holdfast.runtime.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.runtime.Host;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The key-value API as object code sees it. */
class StorageTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  /** Code that uses the storage of one object. */
  private interface Use {
    Object on(ObjectStorage storage) throws Exception;
  }

  private Object use(Use use) throws Exception {
    return host.call("a", (_, context) -> use.on(context.storage()));
  }

  @Test
  void readSeesTheWriteBeforeIt() throws Exception {
    use(
        storage -> {
          storage.put("key", 1L);
          assertThat(storage.get("key", Long.class)).hasValue(1L);
          return null;
        });
  }

  @Test
  void absentKeyIsEmpty() throws Exception {
    assertThat(use(storage -> storage.get("key", Long.class).isPresent())).isEqualTo(false);
  }

  @Test
  void storedValueIsACopy() throws Exception {
    use(
        storage -> {
          List<String> mine = new ArrayList<>(List.of("stored"));
          storage.put("key", mine);
          mine.add("later");
          assertThat(storage.get("key", List.class)).hasValue(List.of("stored"));
          return null;
        });
  }

  @Test
  void deleteReturnsWhetherTheKeyExisted() throws Exception {
    use(
        storage -> {
          storage.put("key", 1L);
          assertThat(storage.delete("key")).isTrue();
          assertThat(storage.delete("key")).isFalse();
          return null;
        });
  }

  @Test
  void deleteOfManyCountsThoseThatExisted() throws Exception {
    use(
        storage -> {
          storage.put(Map.of("a", 1, "b", 2));
          assertThat(storage.delete(List.of("a", "b", "c", "a"))).isEqualTo(2);
          assertThat(storage.list(Object.class)).isEmpty();
          return null;
        });
  }

  @Test
  void getOfManyIsInOrderOfUtf8BytesWithoutTheAbsent() throws Exception {
    use(
        storage -> {
          // U+FFFF sorts before the surrogate pair in UTF-8, after it in UTF-16.
          storage.put(Map.of("\uFFFF", 1, "\uD83D\uDE00", 2, "a", 3));
          assertThat(
                  storage.get(List.of("\uD83D\uDE00", "none", "\uFFFF", "a"), Long.class).keySet())
              .containsExactly("a", "\uFFFF", "\uD83D\uDE00");
          return null;
        });
  }

  @Test
  void listSelectsByEveryBoundTogether() throws Exception {
    use(
        storage -> {
          storage.put(Map.of("a", 1, "b1", 2, "b2", 3, "b3", 4, "c", 5));
          ListOptions all = ListOptions.ALL;
          assertThat(keys(storage, all)).containsExactly("a", "b1", "b2", "b3", "c");
          assertThat(keys(storage, all.withPrefix("b"))).containsExactly("b1", "b2", "b3");
          assertThat(keys(storage, all.withPrefix("b").withStart("b2")))
              .containsExactly("b2", "b3");
          assertThat(keys(storage, all.withPrefix("b").withEnd("b3"))).containsExactly("b1", "b2");
          assertThat(keys(storage, all.withStartAfter("b1").withEnd("c")))
              .containsExactly("b2", "b3");
          assertThat(keys(storage, all.reversed().withLimit(2))).containsExactly("c", "b3");
          assertThat(keys(storage, all.withStart("c").withEnd("a"))).isEmpty();
          assertThat(keys(storage, all.withPrefix("b").withStart("c"))).isEmpty();
          return null;
        });
  }

  @Test
  void startAfterIsTheKeyWithAZeroByte() throws Exception {
    use(
        storage -> {
          storage.put(Map.of("k", 1, "k\0", 2, "k\0\0", 3, "l", 4));
          assertThat(keys(storage, ListOptions.ALL.withStartAfter("k")))
              .containsExactly("k\0", "k\0\0", "l");
          return null;
        });
  }

  @Test
  void keyAtTheLimitIsTakenAndOneByteMoreIsRefused() throws Exception {
    use(
        storage -> {
          storage.put("k".repeat(2_048), 1);
          assertThatThrownBy(() -> storage.put("ü".repeat(1_025), 1))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining(
                  "Keys cannot be larger than 2048 bytes. A key of size 2050 was provided.");
          assertThatThrownBy(() -> storage.get("k".repeat(2_049), Object.class))
              .isInstanceOf(StorageLimitException.class);
          return null;
        });
  }

  @Test
  void valueAtTheLimitIsTakenAndOneByteMoreIsRefused() throws Exception {
    use(
        storage -> {
          // 131,106 bytes with the format's header, tag and length.
          storage.put("key", "x".repeat(131_100));
          assertThatThrownBy(() -> storage.put("key", "x".repeat(131_101)))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining(
                  "Values cannot be larger than 131072 bytes. A value of size 131107 was");
          assertThat(storage.get("key", String.class)).hasValue("x".repeat(131_100));
          return null;
        });
  }

  @Test
  void moreThan128KeysAreRefused() throws Exception {
    use(
        storage -> {
          List<String> keys = IntStream.range(0, 129).mapToObj(i -> "key" + i).toList();
          assertThatThrownBy(() -> storage.get(keys, Object.class))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining(
                  "Maximum number of key value pairs is 128. 129 pairs were provided.");
          assertThatThrownBy(() -> storage.delete(keys)).isInstanceOf(StorageLimitException.class);
          assertThat(storage.get(keys.subList(0, 128), Object.class)).isEmpty();
          return null;
        });
  }

  @Test
  void putOfManyStoresNothingWhenOnePairIsRefused() throws Exception {
    use(
        storage -> {
          Map<String, Object> entries = new LinkedHashMap<>();
          entries.put("good", 1);
          entries.put("bad", new Object());
          assertThatThrownBy(() -> storage.put(entries))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("\"bad\"");
          assertThat(storage.list(Object.class)).isEmpty();
          return null;
        });
  }

  @Test
  void valueOfAnotherTypeIsRefusedAndTheObjectGoesOn() throws Exception {
    use(
        storage -> {
          storage.put("key", "text");
          assertThatThrownBy(() -> storage.get("key", Long.class))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("\"key\"");
          assertThat(storage.get("key", String.class)).hasValue("text");
          return null;
        });
  }

  @Test
  void deleteAllLeavesNothing() throws Exception {
    use(
        storage -> {
          storage.put(Map.of("a", 1, "b", 2));
          storage.deleteAll();
          storage.put("c", 3);
          return null;
        });

    assertThat(use(storage -> List.copyOf(storage.list(Object.class).keySet())))
        .isEqualTo(List.of("c"));
  }

  @Test
  void sqlOfAnEngineWithoutSqlIsRefused() throws Exception {
    use(
        storage -> {
          assertThatThrownBy(() -> storage.sql().exec("SELECT 1")).isInstanceOf(SqlException.class);
          return null;
        });
  }

  private static Iterable<String> keys(ObjectStorage storage, ListOptions options) {
    return storage.list(options, Object.class).keySet();
  }

  @Test
  void streamReadsWhatListReads() throws Exception {
    use(
        storage -> {
          for (int i = 0; i < 1_000; i++) {
            storage.put("key%04d".formatted(i), i);
          }
          for (ListOptions options :
              List.of(
                  ListOptions.ALL,
                  ListOptions.ALL.reversed(),
                  ListOptions.ALL.withLimit(500),
                  ListOptions.ALL.withLimit(16).reversed(),
                  ListOptions.ALL.withStartAfter("key0100").withEnd("key0900"),
                  ListOptions.ALL.withPrefix("key00").reversed(),
                  ListOptions.ALL.withStart("z").withEnd("a"))) {
            assertThat(storage.stream(options, Long.class).toList())
                .as("%s", options)
                .isEqualTo(List.copyOf(storage.list(options, Long.class).entrySet()));
          }
          return null;
        });
  }

  @Test
  void streamSeesWhatIsWrittenAheadOfItAndGoesOnInTheNextTurn() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          ObjectStorage storage = context.storage();
          for (int i = 0; i < 100; i++) {
            storage.put("key%03d".formatted(i), i);
          }
          Iterator<Map.Entry<String, Long>> pairs =
              storage.stream(ListOptions.ALL, Long.class).iterator();
          Iterator<Map.Entry<String, Long>> second =
              storage.stream(ListOptions.ALL.reversed(), Long.class).iterator();
          assertThat(pairs.next().getKey()).isEqualTo("key000");
          assertThat(second.next().getKey()).isEqualTo("key099");
          storage.delete("key098");
          storage.put("key099", -1);
          storage.sync();
          List<Map.Entry<String, Long>> rest = new ArrayList<>();
          pairs.forEachRemaining(rest::add);
          assertThat(rest).hasSize(98).endsWith(Map.entry("key099", -1L));
          return null;
        });
  }
}
