package dev.holdfast;

import dev.holdfast.recovery.Neighbor;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of one object within its namespace: 32 bytes, written as 64 lower-case hexadecimal
 * digits.
 *
 * <p>Ids come from {@link ObjectNamespace#idFromName(String)}, {@link ObjectNamespace#newUniqueId}
 * and {@link ObjectNamespace#idFromString}. The second half of an id authenticates the first with a
 * key derived from the namespace's name, so an id of one namespace is refused by another.
 *
 * <p>Two ids are equal if their 32 bytes are equal. The name records how the id was made and does
 * not matter for equality. Immutable and thread-safe.
 */
public final class ObjectId implements Neighbor {

  /** Length of an id in bytes. */
  public static final int LENGTH_BYTES = 32;

  /** Length of a slot in bits. */
  public static final int SLOT_BITS = 14;

  /** Messages cut longer names. */
  private static final int DISPLAYED_NAME_MAX = 64;

  private static final HexFormat HEX = HexFormat.of();

  private final byte[] bytes;
  private final @Nullable String name;

  private ObjectId(byte[] bytes, @Nullable String name) {
    this.bytes = bytes;
    this.name = name;
  }

  /**
   * Returns the id with these bytes. Does not check that the id belongs to a namespace; use {@link
   * ObjectNamespace#idFromString} for text from outside.
   *
   * @param bytes exactly 32 bytes; copied
   * @param name the name from which the id was derived, or null
   * @return the id
   * @throws IllegalArgumentException if {@code bytes} is not 32 bytes long
   */
  public static ObjectId of(byte[] bytes, @Nullable String name) {
    if (bytes.length != LENGTH_BYTES) {
      throw new IllegalArgumentException(
          "An object id has "
              + LENGTH_BYTES
              + " bytes, got "
              + bytes.length
              + "; ObjectNamespace.idFromName makes the id of a name.");
    }
    return new ObjectId(bytes.clone(), name);
  }

  /** {@return the name from which this id was derived; empty for unique and parsed ids} */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /**
   * {@return the slot of this id: its first {@link #SLOT_BITS} bits} In a cluster the slot says
   * which shard an object is in. Ids with one slot are near each other: they share a shard, however
   * many shards there are.
   */
  @Override
  public int slot() {
    return (((bytes[0] & 0xFF) << Byte.SIZE) | (bytes[1] & 0xFF)) >>> (Short.SIZE - SLOT_BITS);
  }

  /** {@return a copy of the 32 bytes of this id} */
  public byte[] toBytes() {
    return bytes.clone();
  }

  /** {@return the 64 lower-case hexadecimal digits of this id} */
  @Override
  public String toString() {
    return HEX.formatHex(bytes);
  }

  /**
   * Returns the digits, and the name if it is known, for messages and logs. Replaces control
   * characters and cuts a long name.
   *
   * @return for example {@code 3f…9c "daily report"}
   */
  public String toDisplayString() {
    if (name == null) {
      return toString();
    }
    StringBuilder text = new StringBuilder(toString()).append(" \"");
    name.codePoints()
        .limit(DISPLAYED_NAME_MAX)
        .map(each -> isPrintable(each) ? each : '?')
        .forEach(text::appendCodePoint);
    return text.append(name.length() > DISPLAYED_NAME_MAX ? "…\"" : "\"").toString();
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> codePoint != '"';
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    // The bytes are the output of a keyed hash, so four of them are as good as a mix of all.
    return (bytes[0] & 0xFF) | (bytes[1] & 0xFF) << 8 | (bytes[2] & 0xFF) << 16 | bytes[3] << 24;
  }
}
