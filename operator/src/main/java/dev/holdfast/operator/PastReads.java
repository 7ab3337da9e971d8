package dev.holdfast.operator;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.inspect.Inspection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations that show an object as it was: each copies that state and reads the copy. The
 * object need not exist any more, and does not change. Thread-safe.
 */
final class PastReads {

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;
  private final PastImages images;

  PastReads(ObjectRuntime runtime, Inspection inspection, Addresses addresses, PastImages images) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
    this.images = images;
  }

  /** {@return whether a request is about an earlier state} */
  static boolean isAsked(OperatorRequest request) {
    return request.textOrNull("at") != null;
  }

  @Nullable String object(OperatorRequest request, Answers answers) {
    ObjectKey key = inspection.listed(addresses.object(request));
    ObjectRecovery recovery = runtime.recovery(key.namespace(), key.id());
    String bookmark = JournalReads.bookmark(recovery, request.text("at"));
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put(
        "storage",
        Objects.requireNonNull(inspection.namespaces().get(key.namespace()))
            .name()
            .toLowerCase(Locale.ROOT));
    List<HistoryEntry> last = recovery.history(1, bookmark).entries();
    read(
        key,
        bookmark,
        image -> {
          answer.put("bytes", image.bytes());
          answer.put("changed", last.isEmpty() ? null : last.getFirst().time().toString());
          answer.put("at", bookmark);
          List<String> tables = image.tables();
          answer.put("keys", tables.contains(Difference.KEYS) ? image.count(Difference.KEYS) : 0L);
          List<Map<String, @Nullable Object>> counted = new ArrayList<>();
          for (String table : tables) {
            if (isOfApplication(table)) {
              Map<String, @Nullable Object> each = new LinkedHashMap<>();
              each.put("name", table);
              each.put("rows", image.count(table));
              counted.add(each);
            }
          }
          answer.put("tables", counted);
          answer.put("alarms", image.alarms().stream().map(ObjectReads::alarm).toList());
          return image;
        });
    answers.add(answer);
    return null;
  }

  private static boolean isOfApplication(String table) {
    return !table.equals(Difference.KEYS) && !table.equals(Difference.SCHEMA);
  }

  private <T> T read(ObjectKey key, @Nullable String bookmark, Function<PastImage, T> reading) {
    return images.read(
        () -> {
          try (PastImage image = inspection.image(key, bookmark)) {
            return reading.apply(image);
          }
        });
  }

  private @Nullable String bookmark(ObjectKey key, OperatorRequest request) {
    String at = request.textOrNull("at");
    return at == null
        ? null
        : JournalReads.bookmark(runtime.recovery(key.namespace(), key.id()), at);
  }

  @Nullable String get(OperatorRequest request, Answers answers) {
    String wanted = request.text("key");
    List<Map<String, @Nullable Object>> found = new ArrayList<>();
    pairs(request, key -> key.equals(wanted), 1, found);
    if (found.isEmpty()) {
      throw new OperatorException(
          Reason.FAILED,
          "The object " + request.text("object") + " had no key \"" + wanted + "\" then.");
    }
    answers.add(found.getFirst());
    return null;
  }

  @Nullable String list(OperatorRequest request, Answers answers) {
    String prefix = request.textOrNull("prefix");
    String after = request.textOrNull("after");
    byte[] last = after == null ? null : ObjectReads.utf8(after);
    List<Map<String, @Nullable Object>> found = new ArrayList<>();
    boolean isMore =
        pairs(
            request,
            key ->
                (prefix == null || key.startsWith(prefix))
                    && (last == null || Arrays.compareUnsigned(ObjectReads.utf8(key), last) > 0),
            request.limit(ObjectReads.ENTRIES_DEFAULT, Integer.MAX_VALUE),
            found);
    found.forEach(answers::add);
    return isMore && !found.isEmpty()
        ? "There are more keys; continue with --after '" + found.getLast().get("key") + "'."
        : null;
  }

  @FunctionalInterface
  private interface Wanted {
    boolean isWanted(String key);
  }

  /** {@return whether there are more} */
  private boolean pairs(
      OperatorRequest request, Wanted wanted, int limit, List<Map<String, @Nullable Object>> to) {
    ObjectKey key = addresses.object(request);
    boolean[] isMore = {false};
    read(
        key,
        bookmark(key, request),
        image -> {
          long[] room = {ObjectReads.BYTES_MAX};
          if (image.tables().contains(Difference.KEYS)) {
            image.forEach(
                Difference.KEYS,
                (name, _, values) -> {
                  if (!wanted.isWanted(name)) {
                    return true;
                  }
                  if (to.size() >= limit || room[0] < 0) {
                    isMore[0] = true;
                    return false;
                  }
                  byte[] value = (byte[]) Objects.requireNonNull(values.getFirst());
                  room[0] -= value.length;
                  to.add(ObjectReads.pair(name, value));
                  return true;
                });
          }
          return image;
        });
    return isMore[0];
  }

  /** A state does not change, so a page begins behind a number of rows. */
  @Nullable String table(OperatorRequest request, Answers answers) {
    if (request.textOrNull("sort") != null || request.isSet("schema")) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "The rows of an earlier state come in the order of the table, without its schema; fork"
              + " the state for more.");
    }
    ObjectKey key = addresses.object(request);
    String table = request.text("table");
    long offset = offset(request.textOrNull("after"));
    int limit = request.limit(ObjectReads.ENTRIES_DEFAULT, Integer.MAX_VALUE);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    boolean[] isMore = {false};
    List<String> columns =
        read(
            key,
            bookmark(key, request),
            image -> {
              if (!isOfApplication(table) || !image.tables().contains(table)) {
                throw new OperatorException(
                    Reason.FAILED, "The object has no table \"" + table + "\" in this state.");
              }
              long[] place = {0};
              long[] room = {ObjectReads.BYTES_MAX};
              image.forEach(
                  table,
                  (_, _, values) -> {
                    if (place[0]++ < offset) {
                      return true;
                    }
                    isMore[0] = rows.size() >= limit || room[0] < 0;
                    if (!isMore[0]) {
                      List<@Nullable Object> row =
                          new ArrayList<>(values.stream().map(PastReads::plain).toList());
                      row.forEach(each -> room[0] -= bytesOf(each));
                      rows.add(row);
                    }
                    return !isMore[0];
                  });
              return image.columns(table);
            });
    Map<String, @Nullable Object> about = new LinkedHashMap<>();
    about.put("table", table);
    about.put("columns", columns.stream().map(each -> Map.of("name", each)).toList());
    if (isMore[0]) {
      about.put("next", String.valueOf(offset + rows.size()));
      about.put("more", true);
    }
    answers.add(about);
    for (List<@Nullable Object> row : rows) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("row", row);
      answers.add(answer);
    }
    return null;
  }

  private static long offset(@Nullable String after) {
    try {
      return after == null ? 0 : Long.parseLong(after);
    } catch (NumberFormatException e) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "\"" + after + "\" is not the end of a page of an earlier state.",
          e);
    }
  }

  private static long bytesOf(@Nullable Object value) {
    return value instanceof byte[] blob ? blob.length : String.valueOf(value).length();
  }

  /** {@return a value of a copy as an answer has it} */
  static @Nullable Object plain(@Nullable Object value) {
    return value instanceof PastImage.BrokenText text ? text.shown() : value;
  }
}
