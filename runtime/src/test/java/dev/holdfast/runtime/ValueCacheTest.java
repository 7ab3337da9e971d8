package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.statistics.ValueCacheStatistics;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Reads that are served from memory. The backend fails on purpose, so a read that reaches it resets
 * the object; an answer is a hit.
 */
class ValueCacheTest {

  private static final ReadOptions UNCACHED = ReadOptions.DEFAULT.uncached();

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

  private Object read(String key) throws Exception {
    return use(storage -> storage.get(key, Object.class).orElse("absent"));
  }

  private void forbidReads() {
    host.backend.failFrom(Operation.GET, host.key("a"));
  }

  private void assertMiss(Use use) {
    assertThatThrownBy(() -> use(use)).isInstanceOf(InstanceResetException.class);
    host.backend.heal();
  }

  @Test
  void secondReadIsServedFromMemory() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");
    forbidReads();

    assertThat(read("key")).isEqualTo(1L);
    assertThat(use(storage -> storage.get("key", Long.class).orElseThrow())).isEqualTo(1L);
    assertThat(use(storage -> storage.get(List.of("key"), Long.class).get("key"))).isEqualTo(1L);
  }

  @Test
  void absenceIsRemembered() throws Exception {
    read("key");
    forbidReads();

    assertThat(read("key")).isEqualTo("absent");
    assertThat(use(storage -> storage.delete("key"))).isEqualTo(false);
    assertMiss(storage -> storage.get("other", Object.class));
  }

  @Test
  void writeIsSeenThroughTheCache() throws Exception {
    read("key");
    use(storage -> put(storage, "key", 1L));
    forbidReads();
    assertThat(read("key")).isEqualTo(1L);
    use(storage -> put(storage, "key", "a much longer value".repeat(100)));
    assertThat(read("key")).isEqualTo("a much longer value".repeat(100));
    use(storage -> storage.delete("key"));
    assertThat(read("key")).isEqualTo("absent");
  }

  @Test
  void valueThatIsThereAlreadyIsNotWrittenAgain() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");
    use(storage -> put(storage, "key", 1L));

    assertThat(host.journal.lastPosition()).isEqualTo(1);
  }

  @Test
  void mutableValueIsCopiedFromTheCache() throws Exception {
    use(
        storage -> {
          storage.put("key", Map.of("a", 1L));
          @SuppressWarnings("unchecked")
          Map<String, Long> first = storage.get("key", Map.class).orElseThrow();
          first.put("b", 2L);
          assertThat(storage.get("key", Map.class)).hasValue(Map.of("a", 1L));
          return null;
        });
  }

  @Test
  void uncachedReadIsServedButNotKept() throws Exception {
    use(storage -> put(storage, "key", 1L));
    use(storage -> storage.get("key", Long.class, UNCACHED));
    forbidReads();
    assertMiss(storage -> storage.get("key", Long.class));

    read("key");
    forbidReads();
    assertThat(use(storage -> storage.get("key", Long.class, UNCACHED).orElseThrow()))
        .isEqualTo(1L);
  }

  @Test
  void uncachedWriteLeavesTheCache() throws Exception {
    read("key");
    use(
        storage -> {
          storage.put("key", 1L, WriteOptions.DEFAULT.uncached());
          return null;
        });
    assertThat(read("key")).isEqualTo(1L);
    use(storage -> storage.delete("key", WriteOptions.DEFAULT.uncached()));
    forbidReads();
    assertMiss(storage -> storage.get("key", Long.class));
  }

  @Test
  void rollbackForgetsWhatWasReadInTheTransaction() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");
    use(
        storage ->
            storage.transaction(
                transaction -> {
                  transaction.put("key", 2L);
                  assertThat(transaction.get("key", Long.class)).hasValue(2L);
                  transaction.rollback();
                  assertThat(storage.get("key", Long.class)).hasValue(1L);
                  return null;
                }));

    assertThat(read("key")).isEqualTo(1L);
  }

  @Test
  void deleteAllForgetsEverything() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");
    use(
        storage -> {
          storage.deleteAll();
          assertThat(storage.get("key", Long.class)).isEmpty();
          return null;
        });

    assertThat(read("key")).isEqualTo("absent");
  }

  @Test
  void resetForgetsWhatWasTakenBack() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 2L);
                      throw context.abort("on purpose");
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertThat(read("key")).isEqualTo(1L);
  }

  @Test
  void objectsOfTheSameKeysDoNotMeet() throws Exception {
    use(storage -> put(storage, "key", 1L));
    read("key");

    assertThat(host.call("b", (_, context) -> context.storage().get("key", Long.class).isPresent()))
        .isEqualTo(false);
  }

  private static long kept(Host host) {
    return ((Engine) host.runtime).values().count();
  }

  @Test
  void valuesOfAnInstanceThatWasResetAreDropped() throws Exception {
    read("key");
    read("other");
    host.call("b", (_, context) -> context.storage().get("key", Long.class).isPresent());
    assertThat(kept(host)).isEqualTo(3);

    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort(null)))
        .isInstanceOf(InstanceResetException.class);
    assertThat(kept(host)).isEqualTo(1);
    read("key");
    assertThat(kept(host)).isEqualTo(2);
  }

  @Test
  void valuesOfAnInstanceThatWasEvictedAreDropped() throws Exception {
    DeterministicScheduler.explore(
        3,
        scheduler -> {
          Host idle = Host.with().scheduler(scheduler).open();
          scheduler.run(
              () -> idle.call("a", (_, context) -> context.storage().get("key", Long.class)));
          assertThat(kept(idle)).isEqualTo(1);
          scheduler.advance(NamespaceOptions.DEFAULT.idleTimeout().multipliedBy(2));
          assertThat(kept(idle)).isZero();
        });
  }

  @Test
  void valuesThatWereFoundWrongAreDropped() throws Exception {
    use(
        storage -> {
          storage.put("key", 1L);
          storage.get("key", Long.class);
          storage.transaction(
              transaction -> {
                transaction.rollback();
                return null;
              });
          return null;
        });
    assertThat(kept(host)).isZero();
    read("key");
    use(
        storage -> {
          storage.deleteAll();
          return null;
        });
    assertThat(kept(host)).isZero();
  }

  @Test
  void keysThatTheBoundHasDroppedAreForgotten() throws Exception {
    try (Host small =
        Host.with().options(RuntimeOptions.DEFAULT.withValueCacheBytesMax(4_096)).open()) {
      small.call(
          "a",
          (_, context) -> {
            for (int i = 0; i < 1_000; i++) {
              context.storage().get("key" + i, Long.class);
              context.storage().put("key" + i, "a longer value".repeat(1 + i % 9));
            }
            return null;
          });
      assertThat(kept(small)).isBetween(1L, 20L);
      assertThatThrownBy(() -> small.call("a", (_, context) -> context.abort(null)))
          .isInstanceOf(InstanceResetException.class);
      assertThat(kept(small)).isZero();
    }
  }

  @Test
  void cacheHasABound() throws Exception {
    try (Host small =
        Host.with().options(RuntimeOptions.DEFAULT.withValueCacheBytesMax(4_096)).open()) {
      small.call(
          "a",
          (_, context) -> {
            for (int i = 0; i < 1_000; i++) {
              context.storage().put("key" + i, i);
              context.storage().get("key" + i, Long.class);
            }
            return null;
          });
      small.backend.failFrom(Operation.GET, small.key("a"));
      assertThatThrownBy(
              () ->
                  small.call(
                      "a",
                      (_, context) -> {
                        for (int i = 0; i < 1_000; i++) {
                          context.storage().get("key" + i, Long.class);
                        }
                        return null;
                      }))
          .isInstanceOf(InstanceResetException.class);
    }
  }

  private static ValueCacheStatistics statistics(Host host) {
    return host.runtime.statistics().valueCache();
  }

  private void assertReads(long hits, long misses, Use use) throws Exception {
    ValueCacheStatistics before = statistics(host);
    use(use);
    ValueCacheStatistics made = statistics(host).minus(before);
    assertThat(made.hits()).as("hits").isEqualTo(hits);
    assertThat(made.misses()).as("misses").isEqualTo(misses);
  }

  @Test
  void eachReadOfAKeyIsAHitOrAMiss() throws Exception {
    assertThat(statistics(host)).isEqualTo(ValueCacheStatistics.NONE);
    assertReads(0, 1, storage -> storage.get("key", Long.class));
    assertReads(1, 0, storage -> storage.get("key", Long.class));
    assertReads(0, 0, storage -> put(storage, "key", 1L));
    assertReads(0, 0, storage -> put(storage, "key", 1L));
    assertReads(1, 0, storage -> storage.get("key", Long.class, UNCACHED));
    assertReads(0, 1, storage -> storage.get("other", Long.class, UNCACHED));
    assertReads(1, 1, storage -> storage.get(List.of("key", "other"), Long.class));
    assertReads(0, 0, storage -> storage.list(Long.class));
    assertThat(statistics(host).evictions()).isZero();
  }

  @Test
  void bytesAreThoseOfTheKeptValues() throws Exception {
    read("key");
    long one = statistics(host).bytes();
    assertThat(one).isPositive();
    read("yek");
    assertThat(statistics(host).bytes()).isEqualTo(2 * one);
    use(storage -> put(storage, "key", "x".repeat(1_000)));
    assertThat(statistics(host).bytes()).isBetween(2 * one + 900, 2 * one + 1_100);
    use(storage -> storage.delete("key"));
    use(
        storage -> {
          storage.put("yek", 1L, WriteOptions.DEFAULT.uncached());
          return null;
        });
    assertThatThrownBy(() -> host.call("a", (_, context) -> context.abort(null)))
        .isInstanceOf(InstanceResetException.class);
    assertThat(statistics(host).bytes()).isZero();
    assertThat(statistics(host).evictions()).as("a reset is no eviction").isZero();
  }

  @Test
  void valuesThatTheBoundHasDroppedAreCounted() throws Exception {
    try (Host small =
        Host.with().options(RuntimeOptions.DEFAULT.withValueCacheBytesMax(4_096)).open()) {
      small.call(
          "a",
          (_, context) -> {
            for (int i = 0; i < 1_000; i++) {
              context.storage().get("key" + i, Long.class);
            }
            return null;
          });
      long kept = kept(small);
      assertThat(statistics(small).misses()).isEqualTo(1_000);
      assertThat(statistics(small).evictions()).isEqualTo(1_000 - kept);
      assertThat(statistics(small).bytes()).isBetween(1L, 4_096L);
    }
  }

  @Test
  void absentCacheCountsNothing() throws Exception {
    try (Host without =
        Host.with().options(RuntimeOptions.DEFAULT.withValueCacheBytesMax(0)).open()) {
      without.call("a", (_, context) -> context.storage().get("key", Long.class).isPresent());
      assertThat(statistics(without)).isEqualTo(ValueCacheStatistics.NONE);
    }
  }

  private static Object put(ObjectStorage storage, String key, Object value) {
    storage.put(key, value);
    return key;
  }
}
