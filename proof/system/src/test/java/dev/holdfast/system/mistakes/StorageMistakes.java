package dev.holdfast.system.mistakes;

import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.StorageLimits;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Keys and their limits. */
final class StorageMistakes {

  private StorageMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "a key that is too long",
            host ->
                host.storage(
                    storage -> storage.put("k".repeat(StorageLimits.KEY_BYTES_MAX + 1), 1L))),
        Mistake.of(
            "a value that is too large",
            host ->
                host.storage(
                    storage -> storage.put("k", new byte[2 * StorageLimits.VALUE_BYTES_MAX]))),
        Mistake.of(
            "too many pairs at once", host -> host.storage(storage -> storage.put(manyPairs()))),
        Mistake.of("no key", host -> host.storage(storage -> storage.get(nothing(), Long.class))),
        Mistake.of(
            "a list of no pairs",
            host ->
                host.storage(storage -> storage.list(ListOptions.ALL.withLimit(0), Long.class))),
        Mistake.of(
            "a list with two beginnings",
            host ->
                host.storage(
                    storage ->
                        storage.list(
                            ListOptions.ALL.withStart("a").withStartAfter("b"), Long.class))),
        Mistake.of(
            "a cursor that is none",
            host ->
                host.runtime()
                    .namespace(Host.PROBES, Host.Probe.class)
                    .list(dev.holdfast.ObjectListOptions.ALL.withCursor("page 2"))));
  }

  private static Map<String, Long> manyPairs() {
    return IntStream.rangeClosed(0, StorageLimits.KEYS_MAX)
        .boxed()
        .collect(Collectors.toMap(i -> "k" + i, i -> 1L));
  }

  @SuppressWarnings("NullAway") // as an application without null checks
  private static String nothing() {
    return null;
  }
}
