package dev.holdfast.embedded.model;

import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.StorageLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** The contract of the API, implemented with a sorted map. */
final class OnMap {

  private static final String TOO_MUCH = "StorageLimitException";

  /** Orders as the API does: by the bytes of UTF-8, which is the order of the code points. */
  private TreeMap<String, Object> pairs = new TreeMap<>(OnMap::compare);

  private int transactions;
  private int syncTransactions;

  static int compare(String left, String right) {
    return Arrays.compare(left.codePoints().toArray(), right.codePoints().toArray());
  }

  /** Half of a character is not a prefix of a key with the whole one. */
  private static boolean startsWith(String key, String prefix) {
    int[] all = key.codePoints().toArray();
    int[] first = prefix.codePoints().toArray();
    return all.length >= first.length
        && Arrays.equals(all, 0, first.length, first, 0, first.length);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /** {@return a copy of all pairs} */
  TreeMap<String, Object> state() {
    return new TreeMap<>(pairs);
  }

  void restore(TreeMap<String, Object> state) {
    pairs = new TreeMap<>(state);
  }

  List<String> run(List<Op> ops) {
    List<String> told = new ArrayList<>();
    run(ops, told);
    return told;
  }

  private void run(List<Op> ops, List<String> told) {
    for (Op op : ops) {
      told.add(take(op, told));
    }
  }

  private String take(Op op, List<String> told) {
    return switch (op) {
      case Op.Get(var key, _) ->
          isTooLong(key) ? TOO_MUCH : pairs.containsKey(key) ? Texts.of(pairs.get(key)) : "none";
      case Op.GetMany(var keys, _) -> tooMany(keys) ? TOO_MUCH : found(keys);
      case Op.Put(var key, var value, _) -> {
        if (isTooLong(key) || isTooLarge(value)) {
          yield TOO_MUCH;
        }
        pairs.put(key, value);
        yield "put";
      }
      case Op.PutMany(var entries, _) -> {
        if (tooMany(List.copyOf(entries.keySet()))
            || entries.values().stream().anyMatch(OnMap::isTooLarge)) {
          yield TOO_MUCH;
        }
        pairs.putAll(entries);
        yield "put";
      }
      case Op.Delete(var key, _) ->
          isTooLong(key) ? TOO_MUCH : String.valueOf(pairs.remove(key) != null);
      case Op.DeleteMany(var keys, _) ->
          tooMany(keys)
              ? TOO_MUCH
              : String.valueOf(keys.stream().filter(key -> pairs.remove(key) != null).count());
      case Op.DeleteAll(_) -> {
        if (transactions > 0) {
          yield "INSIDE_TRANSACTION";
        }
        pairs.clear();
        yield "deleted";
      }
      case Op.ListPairs(var options) -> list(options);
      case Op.StreamPairs(var options) -> list(options);
      case Op.Sync() -> syncTransactions > 0 ? "INSIDE_TRANSACTION" : "synced";
      case Op.Transaction(var body, var end) -> {
        TreeMap<String, Object> before = new TreeMap<>(pairs);
        transactions++;
        run(body, told);
        transactions--;
        pairs = end == Op.End.RETURNS ? pairs : before;
        yield end == Op.End.THROWS ? "thrown" : "returned";
      }
      case Op.SyncTransaction(var body, var fails) -> {
        TreeMap<String, Object> before = new TreeMap<>(pairs);
        syncTransactions++;
        run(body, told);
        syncTransactions--;
        pairs = fails ? before : pairs;
        yield fails ? "thrown" : "returned";
      }
    };
  }

  private String found(List<String> keys) {
    TreeSet<String> sorted = new TreeSet<>(OnMap::compare);
    sorted.addAll(keys);
    return sorted.stream()
        .filter(pairs::containsKey)
        .map(key -> Texts.of(key, pairs.get(key)))
        .toList()
        .toString();
  }

  /** Decided pair by pair, so that it does not depend on how ranges are computed. */
  private String list(ListOptions options) {
    List<String> selected = new ArrayList<>();
    pairs.forEach(
        (key, value) -> {
          if ((options.start() == null || compare(key, options.start()) >= 0)
              && (options.startAfter() == null || compare(key, options.startAfter()) > 0)
              && (options.end() == null || compare(key, options.end()) < 0)
              && (options.prefix() == null || startsWith(key, options.prefix()))) {
            selected.add(Texts.of(key, value));
          }
        });
    List<String> ordered = options.reverse() ? selected.reversed() : selected;
    return List.copyOf(ordered.subList(0, Math.min(options.limit(), ordered.size()))).toString();
  }

  private static boolean tooMany(List<String> keys) {
    return keys.size() > StorageLimits.KEYS_MAX || keys.stream().anyMatch(OnMap::isTooLong);
  }

  private static boolean isTooLong(String key) {
    return bytes(key).length > StorageLimits.KEY_BYTES_MAX;
  }

  private static boolean isTooLarge(Object value) {
    return value instanceof String text && text.length() > StorageLimits.VALUE_BYTES_MAX + 100;
  }
}
