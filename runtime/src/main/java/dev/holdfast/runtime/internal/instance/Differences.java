package dev.holdfast.runtime.internal.instance;

import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.Difference.Kind;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.spi.PastImage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares two states entry by entry. Of the values, which may be larger than the memory, only
 * digests are kept, and for one state alone. Used once, by one thread.
 */
final class Differences {

  private final MessageDigest digest;
  private final Map<Place, byte[]> before = new TreeMap<>();
  private final Map<Place, Kind> kinds = new TreeMap<>();

  private Differences() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }

  /** {@return what the second state has other than the first, ordered by table and key} */
  static List<Difference> between(PastImage first, PastImage second) {
    Differences differences = new Differences();
    first.forEach(differences::record);
    second.forEach(differences::compare);
    differences.before.keySet().forEach(place -> differences.kinds.put(place, Kind.REMOVED));
    List<Difference> found = new ArrayList<>(differences.kinds.size());
    differences.kinds.forEach(
        (place, kind) -> found.add(new Difference(kind, place.table(), place.key())));
    return found;
  }

  private void record(String table, String key, String identity, String value) {
    before.put(place(table, key, identity), digestOf(value));
  }

  private void compare(String table, String key, String identity, String value) {
    Place place = place(table, key, identity);
    byte[] other = before.remove(place);
    if (other == null) {
      kinds.put(place, Kind.ADDED);
    } else if (!Arrays.equals(other, digestOf(value))) {
      kinds.put(place, Kind.CHANGED);
    }
  }

  private Place place(String table, String key, String identity) {
    return new Place(
        table,
        key,
        identity.length() <= RuntimeBounds.IDENTITY_LENGTH_MAX
            ? identity
            : HexFormat.of().formatHex(digestOf(identity)));
  }

  /** By UTF-16, which is different for different texts. */
  private byte[] digestOf(String text) {
    return digest.digest(text.getBytes(StandardCharsets.UTF_16BE));
  }

  /** Where a value is; in the order in which people look for it. */
  private record Place(String table, String key, String identity) implements Comparable<Place> {

    private static final Comparator<Place> ORDER =
        Comparator.comparing(Place::table).thenComparing(Place::key).thenComparing(Place::identity);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }
}
