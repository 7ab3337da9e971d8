package dev.holdfast.runtime.internal.instance;

import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.inspect.StateDifference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares two states table by table. Of the values, which may be larger than the memory, only
 * digests are kept, and for one table of one state alone; then the values of what differs, up to a
 * bound. Used once, by one thread.
 */
final class Differences {

  private final PastImage first;
  private final PastImage second;
  private final int max;
  private final Supplier<? extends RuntimeException> interrupted;
  private final MessageDigest digest;
  private final List<StateDifference> found = new ArrayList<>();

  /** How many bytes of values may be kept yet. */
  private long room;

  private Differences(
      PastImage.Pair images,
      int max,
      long valueBytesMax,
      Supplier<? extends RuntimeException> interrupted) {
    this.first = images.first();
    this.second = images.second();
    this.max = max;
    this.interrupted = interrupted;
    this.room = valueBytesMax;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }

  /**
   * {@return what the second state has other than the first, ordered by table and key}
   *
   * @param interrupted is thrown if this thread is interrupted meanwhile
   */
  static List<Difference> between(
      PastImage.Pair images, Supplier<? extends RuntimeException> interrupted) {
    return new Differences(images, Integer.MAX_VALUE, 0, interrupted)
        .tables().stream().map(StateDifference::difference).toList();
  }

  /**
   * {@return the first differences, with their values, and alarms last}
   *
   * @param max how many
   * @param interrupted is thrown if this thread is interrupted meanwhile
   */
  static List<StateDifference> withValues(
      PastImage.Pair images, int max, Supplier<? extends RuntimeException> interrupted) {
    Differences differences =
        new Differences(images, max, RuntimeBounds.COMPARED_BYTES_MAX, interrupted);
    List<StateDifference> found = differences.tables();
    differences.alarms();
    return found.size() > max ? List.copyOf(found.subList(0, max)) : found;
  }

  private List<StateDifference> tables() {
    List<String> tablesBefore = first.tables();
    List<String> tablesAfter = second.tables();
    SortedSet<String> tables = new TreeSet<>(tablesBefore);
    tables.addAll(tablesAfter);
    List<OfTable> unlike = new ArrayList<>();
    int changes = 0;
    for (String table : tables) {
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted.get();
      }
      OfTable each =
          new OfTable(
              table, tablesBefore.contains(table), tablesAfter.contains(table), max - changes);
      if (changes < max && each.compare()) {
        changes += each.changes.size();
        unlike.add(each);
      }
    }
    // Only now: while tables are compared, one image may have the other's file for itself.
    unlike.forEach(OfTable::name);
    return found;
  }

  private void alarms() {
    Map<String, AlarmRecord> before = new TreeMap<>();
    Map<String, AlarmRecord> after = new TreeMap<>();
    first.alarms().forEach(each -> before.put(each.name(), each));
    second.alarms().forEach(each -> after.put(each.name(), each));
    SortedSet<String> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    for (String name : names) {
      Map<String, @Nullable Object> then = columns(before.get(name));
      Map<String, @Nullable Object> later = columns(after.get(name));
      if (!Objects.equals(then, later)) {
        Kind kind = then == null ? Kind.ADDED : later == null ? Kind.REMOVED : Kind.CHANGED;
        Difference difference = new Difference(kind, StateDifference.ALARMS, name);
        found.add(StateDifference.of(difference, then, later));
      }
    }
  }

  private static @Nullable Map<String, @Nullable Object> columns(@Nullable AlarmRecord alarm) {
    if (alarm == null) {
      return null;
    }
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("dueMillis", alarm.dueMillis());
    columns.put("state", alarm.state().name());
    columns.put("retries", (long) alarm.retryCount());
    columns.put("schedule", alarm.schedule());
    return columns;
  }

  /**
   * What an entry has: in the first state, until the second one has it in the same place. Its
   * values are null if there is no room for them.
   */
  private static final class Change {

    private final byte[] state;
    private Kind kind;
    private @Nullable List<@Nullable Object> before;
    private @Nullable List<@Nullable Object> after;
    private long bytes;

    Change(Kind kind, byte[] state) {
      this.kind = kind;
      this.state = state;
    }

    boolean lacksBefore() {
      return before == null && kind != Kind.ADDED;
    }
  }

  /** The comparison of one table. */
  private final class OfTable {

    private final String table;
    private final boolean isInFirst;
    private final boolean isInSecond;
    private final int most;
    private final Map<Place, Change> before = new HashMap<>();
    private final TreeMap<Place, Change> changes = new TreeMap<>();

    OfTable(String table, boolean isInFirst, boolean isInSecond, int most) {
      this.table = table;
      this.isInFirst = isInFirst;
      this.isInSecond = isInSecond;
      this.most = most;
    }

    /** {@return whether anything differs} */
    boolean compare() {
      if (isInFirst && isInSecond) {
        first.forEachUnlike(second, table, this::record, this::compare);
      } else if (isInFirst) {
        first.forEach(table, this::record);
      } else {
        second.forEach(table, this::compare);
      }
      before.forEach(this::add);
      before.clear();
      if (isInFirst && room > 0 && changes.values().stream().anyMatch(Change::lacksBefore)) {
        first.forEach(table, this::recall);
      }
      return !changes.isEmpty();
    }

    /** Adds what differs, with the names of its columns. */
    void name() {
      List<String> names = isInFirst ? first.columns(table) : List.of();
      List<String> namesAfter = isInSecond ? second.columns(table) : List.of();
      changes.forEach(
          (place, change) ->
              found.add(
                  StateDifference.of(
                      new Difference(change.kind, table, place.key()),
                      named(names, change.before),
                      named(namesAfter, change.after))));
    }

    private boolean record(String key, String identity, List<@Nullable Object> values) {
      Change change = new Change(Kind.REMOVED, state(values));
      if (hasRoom(change, values)) {
        change.before = values;
      }
      before.put(place(key, identity), change);
      return true;
    }

    private boolean compare(String key, String identity, List<@Nullable Object> values) {
      Place place = place(key, identity);
      byte[] state = state(values);
      Change change = before.remove(place);
      if (change == null) {
        change = new Change(Kind.ADDED, state);
      } else if (Arrays.equals(change.state, state)) {
        room += change.bytes;
        return true;
      } else {
        change.kind = Kind.CHANGED;
      }
      if (hasRoom(change, values)) {
        change.after = values;
      }
      add(place, change);
      return true;
    }

    /** Takes the old value of what there was no room for while equal ones took it. */
    private boolean recall(String key, String identity, List<@Nullable Object> values) {
      Change change = changes.get(place(key, identity));
      if (change != null && change.before == null && hasRoom(change, values)) {
        change.before = values;
      }
      return true;
    }

    private boolean hasRoom(Change change, List<@Nullable Object> values) {
      long bytes = 0;
      for (Object each : values) {
        bytes += each instanceof byte[] blob ? blob.length : String.valueOf(each).length();
      }
      if (bytes > room) {
        return false;
      }
      room -= bytes;
      change.bytes += bytes;
      return true;
    }

    /** Drops the last one if there are too many. */
    private void add(Place place, Change change) {
      changes.put(place, change);
      if (changes.size() > most) {
        room += changes.pollLastEntry().getValue().bytes;
      }
    }
  }

  private static @Nullable Map<String, @Nullable Object> named(
      List<String> names, @Nullable List<@Nullable Object> values) {
    if (values == null) {
      return null;
    }
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    for (int column = 0; column < values.size(); column++) {
      columns.put(names.get(column), values.get(column));
    }
    return columns;
  }

  private Place place(String key, String identity) {
    return new Place(
        key,
        identity.length() <= RuntimeBounds.IDENTITY_LENGTH_MAX
            ? identity
            : HexFormat.of().formatHex(digest.digest(utf16(identity))));
  }

  /** {@return bytes that are equal only for equal values: themselves if they are few} */
  private byte[] state(List<@Nullable Object> values) {
    if (values.size() == 1 && values.getFirst() instanceof byte[] blob) {
      if (blob.length < digest.getDigestLength()) {
        return blob;
      }
    }
    for (Object value : values) {
      byte[] content =
          switch (value) {
            case null -> new byte[0];
            case byte[] blob -> blob;
            case Long number -> ByteBuffer.allocate(Long.BYTES).putLong(number).array();
            case PastImage.BrokenText text -> utf16(text.hex());
            default -> utf16(value.toString());
          };
      digest.update((byte) (value == null ? '0' : value.getClass().getSimpleName().charAt(0)));
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).array());
      digest.update(content);
    }
    return digest.digest();
  }

  /** UTF-16 is different for different texts. */
  private static byte[] utf16(String text) {
    return text.getBytes(StandardCharsets.UTF_16BE);
  }

  /** Where a value is; in the order in which people look for it. */
  private record Place(String key, String identity) implements Comparable<Place> {

    private static final Comparator<Place> ORDER =
        Comparator.comparing(Place::key).thenComparing(Place::identity);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }
}
