package dev.holdfast.operator;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.inspect.Inspection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations that read objects and their alarms. Thread-safe. */
final class ObjectReads {

  /** How many objects or alarms are read from a catalog at once. */
  private static final int PAGE = 10_000;

  static final int ENTRIES_DEFAULT = 1_000;

  /** What one answer of pairs or rows may hold: the turn keeps it in memory. */
  static final long BYTES_MAX = 32L << 20;

  /** What an answer about an object reads at most, if it is to be bounded. */
  private static final long COUNT_MAX = 1_000;

  private static final long COUNTED_BYTES_MAX = 1 << 20;

  /** How much a page of objects reads to know their sizes. */
  private static final long SIZED_BYTES_MAX = 16 << 20;

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;

  ObjectReads(ObjectRuntime runtime, Inspection inspection, Addresses addresses) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
  }

  // ---- Catalogs -----------------------------------------------------------------------------

  @Nullable String objects(OperatorRequest request, Answers answers) {
    String prefix = request.textOrNull("prefix");
    if (request.hasLimit()) {
      return page(request, prefix, answers);
    }
    for (String namespace : addresses.namespaces(request)) {
      Map<ObjectId, Long> due = nextAlarms(namespace);
      ObjectId after = null;
      List<ObjectId> page;
      do {
        page = inspection.objects(new ObjectQuery(namespace, prefix, after, PAGE));
        Iterator<Map<String, @Nullable Object>> listed =
            listed(namespace, page, Long.MAX_VALUE).iterator();
        for (ObjectId id : page) {
          Map<String, @Nullable Object> answer = listed.next();
          answer.put("alarm", time(due.getOrDefault(id, Long.MIN_VALUE)));
          answers.add(answer);
        }
        after = page.isEmpty() ? null : page.getLast();
      } while (page.size() == PAGE);
    }
    return null;
  }

  /** A part of a namespace. Of its alarms only the first are read: their index is by time. */
  private @Nullable String page(OperatorRequest request, @Nullable String prefix, Answers answers) {
    String namespace = request.text("namespace");
    int limit = request.limit(PAGE, PAGE);
    String after = request.textOrNull("after");
    // The name says the place of an object that was deleted meanwhile, too.
    ObjectId last = after == null ? null : addresses.object(namespace, after).id();
    String digits = request.textOrNull("afterId");
    if (last != null && digits != null) { // which of the objects with that name
      ObjectId exact = inspection.withId(namespace, digits).id();
      last = ObjectId.of(exact.toBytes(), last.name().orElse(null));
    }
    List<ObjectId> page = inspection.objects(new ObjectQuery(namespace, prefix, last, limit + 1));
    boolean isMore = page.size() > limit;
    Map<ObjectId, Long> due = new HashMap<>();
    List<AlarmEntry> first =
        inspection.alarms(
            new AlarmQuery(namespace, AlarmRecord.State.PENDING, null, Long.MAX_VALUE, PAGE));
    first.forEach(each -> due.putIfAbsent(each.key().id(), each.alarm().dueMillis()));
    List<ObjectId> shown = isMore ? page.subList(0, limit) : page;
    Iterator<Map<String, @Nullable Object>> listed =
        listed(namespace, shown, SIZED_BYTES_MAX).iterator();
    for (ObjectId id : shown) {
      Map<String, @Nullable Object> answer = listed.next();
      if (first.size() < PAGE || due.containsKey(id)) { // else it may have one later
        answer.put("alarm", time(due.getOrDefault(id, Long.MIN_VALUE)));
      }
      answers.add(answer);
    }
    return isMore ? "There are more objects." : null;
  }

  private List<Map<String, @Nullable Object>> listed(
      String namespace, List<ObjectId> page, long sizedBytesMax) {
    List<ObjectKey> keys = page.stream().map(id -> new ObjectKey(namespace, id)).toList();
    long[] bytes = sizes(namespace, keys, sizedBytesMax);
    long[] changed = inspection.journal().lastChanges(keys);
    List<Map<String, @Nullable Object>> listed = new ArrayList<>(keys.size());
    for (int each = 0; each < bytes.length; each++) {
      Map<String, @Nullable Object> answer = Addresses.of(keys.get(each));
      answer.put("bytes", bytes[each] < 0 ? null : bytes[each]);
      answer.put("changed", time(changed[each]));
      listed.add(answer);
    }
    return listed;
  }

  /** {@return the sizes of objects; -1 behind those whose size took as much reading as may be} */
  private long[] sizes(String namespace, List<ObjectKey> keys, long readBytesMax) {
    if (readBytesMax == Long.MAX_VALUE
        || StorageKind.SQLITE.equals(inspection.namespaces().get(namespace))) {
      return inspection.bytes(keys); // the size of a file is known without reading it
    }
    long[] bytes = new long[keys.size()];
    long read = 0;
    for (int each = 0; each < bytes.length; each++) {
      bytes[each] = read > readBytesMax ? -1 : inspection.bytes(List.of(keys.get(each)))[0];
      read += Math.max(0, bytes[each]);
    }
    return bytes;
  }

  private Map<ObjectId, Long> nextAlarms(String namespace) {
    Map<ObjectId, Long> due = new HashMap<>();
    forEachAlarm(
        namespace,
        AlarmRecord.State.PENDING,
        each -> due.merge(each.key().id(), each.alarm().dueMillis(), Math::min));
    return due;
  }

  private void forEachAlarm(
      String namespace, AlarmRecord.State state, Consumer<AlarmEntry> receiver) {
    AlarmEntry after = null;
    List<AlarmEntry> page;
    do {
      page = inspection.alarms(new AlarmQuery(namespace, state, after, Long.MAX_VALUE, PAGE));
      page.forEach(receiver);
      after = page.isEmpty() ? null : page.getLast();
    } while (page.size() == PAGE);
  }

  @Nullable String alarms(OperatorRequest request, Answers answers) {
    if (request.hasLimit()) {
      return AlarmPage.read(request, addresses.namespaces(request), inspection, answers);
    }
    for (String namespace : addresses.namespaces(request)) {
      for (AlarmRecord.State state : AlarmRecord.State.values()) {
        forEachAlarm(
            namespace,
            state,
            each -> {
              Map<String, @Nullable Object> answer = Addresses.of(each.key());
              answer.putAll(alarm(each.alarm()));
              answers.add(answer);
            });
      }
    }
    return null;
  }

  static Map<String, @Nullable Object> alarm(AlarmRecord alarm) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("alarm", alarm.name());
    answer.put("state", alarm.state().name().toLowerCase(Locale.ROOT));
    answer.put("due", time(alarm.dueMillis()));
    answer.put("scheduled", time(alarm.scheduledMillis()));
    answer.put("retries", alarm.retryCount());
    answer.put("schedule", alarm.schedule().isEmpty() ? null : alarm.schedule());
    return answer;
  }

  // ---- One object ---------------------------------------------------------------------------

  @Nullable String object(OperatorRequest request, Answers answers) {
    ObjectKey key = inspection.listed(addresses.existing(request)); // digits have no name
    StorageKind storage = Objects.requireNonNull(inspection.namespaces().get(key.namespace()));
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put("storage", storage.name().toLowerCase(Locale.ROOT));
    Map<String, @Nullable Object> content =
        inspection.read(key, turn -> content(turn, storage, request.isSet("bounded")));
    answer.put("bytes", content.get("bytes"));
    answer.put("changed", time(inspection.journal().lastChanges(List.of(key))[0]));
    answer.putAll(content);
    answers.add(answer);
    return null;
  }

  @Nullable String size(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put("bytes", runtime.admin().size(key.namespace(), key.id()));
    answers.add(answer);
    return null;
  }

  private static Map<String, @Nullable Object> content(
      StoreTurn turn, StorageKind storage, boolean isBounded) {
    Map<String, @Nullable Object> content = new LinkedHashMap<>();
    long keys = 0;
    long bytes = 0;
    boolean isCut = false;
    try (StoreScan scan = turn.scan(new KeyRange(null, null, false, Integer.MAX_VALUE))) {
      while (!isCut && scan.next()) {
        keys++;
        bytes += scan.key().length + scan.value().length;
        isCut = isBounded && (keys >= COUNT_MAX || bytes >= COUNTED_BYTES_MAX);
      }
    }
    boolean hasTables = storage.equals(StorageKind.SQLITE);
    content.put("bytes", hasTables ? turn.databaseSize() : bytes);
    content.put("keys", keys);
    if (isBounded) {
      content.put("more", isCut); // keys; and without tables, bytes
    }
    List<Map<String, @Nullable Object>> tables =
        hasTables ? SqlReads.tables(turn, isBounded ? COUNT_MAX : Long.MAX_VALUE) : List.of();
    if (isBounded && tables.size() > SqlReads.TABLES_MAX) {
      tables = tables.subList(0, SqlReads.TABLES_MAX);
      content.put("moreTables", true);
    }
    content.put("tables", tables);
    content.put("alarms", turn.alarms().stream().map(ObjectReads::alarm).toList());
    return content;
  }

  @Nullable String get(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String wanted = request.text("key");
    Optional<byte[]> value =
        inspection.read(key, turn -> Optional.ofNullable(turn.get(utf8(wanted))));
    if (value.isEmpty()) {
      throw new OperatorException(
          Reason.FAILED, "The object " + key + " has no key \"" + wanted + "\".");
    }
    answers.add(pair(wanted, value.get()));
    return null;
  }

  @Nullable String list(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String prefix = request.textOrNull("prefix");
    String after = request.textOrNull("after");
    int limit = request.limit(ENTRIES_DEFAULT, Integer.MAX_VALUE);
    byte[] start = prefix == null ? null : utf8(prefix);
    if (after != null) {
      byte[] afterKey = utf8(after);
      byte[] next = Arrays.copyOf(afterKey, afterKey.length + 1);
      start = start == null || Arrays.compareUnsigned(start, next) < 0 ? next : start;
    }
    KeyRange range = new KeyRange(start, endOf(prefix), false, Integer.MAX_VALUE);
    long bytesMax = request.isSet("bounded") ? COUNTED_BYTES_MAX : BYTES_MAX;
    List<Map<String, @Nullable Object>> pairs = new ArrayList<>();
    Optional<String> last =
        inspection.read(
            key, turn -> Optional.ofNullable(scan(turn, range, limit, bytesMax, pairs)));
    pairs.forEach(answers::add);
    return last.map(each -> "There are more keys; continue with --after '" + each + "'.")
        .orElse(null);
  }

  /** {@return the last key, if there are more} */
  private static @Nullable String scan(
      StoreTurn turn,
      KeyRange range,
      int limit,
      long bytesMax,
      List<Map<String, @Nullable Object>> pairs) {
    long bytes = 0;
    String last = null;
    try (StoreScan scan = turn.scan(range)) {
      while (scan.next()) {
        if (pairs.size() >= limit || bytes > bytesMax) {
          return last;
        }
        last = new String(scan.key(), StandardCharsets.UTF_8);
        bytes += scan.key().length + scan.value().length;
        pairs.add(pair(last, scan.value()));
      }
    }
    return null;
  }

  static Map<String, @Nullable Object> pair(String key, byte[] value) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("key", key);
    answer.put("bytes", value.length);
    answer.put("value", value);
    return answer;
  }

  private static byte @Nullable [] endOf(@Nullable String prefix) {
    if (prefix == null || prefix.isEmpty()) {
      return null;
    }
    byte[] end = utf8(prefix);
    end[end.length - 1]++; // UTF-8 has no byte FF
    return end;
  }

  static @Nullable String time(long millis) {
    return millis == Long.MIN_VALUE ? null : Instant.ofEpochMilli(millis).toString();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
