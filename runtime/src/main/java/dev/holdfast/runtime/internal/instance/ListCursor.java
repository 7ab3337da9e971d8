package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Where a list of objects continues, as a text: after an object, by its name or its id. */
public final class ListCursor {

  private static final String NAMED = "n";
  private static final String UNNAMED = "u";

  private ListCursor() {}

  /**
   * {@return the cursor after an object}
   *
   * @param id the object
   */
  public static String after(ObjectId id) {
    return id.name()
        .map(name -> NAMED + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)))
        .orElseGet(() -> UNNAMED + id);
  }

  /**
   * Returns the object of a cursor, as far as the order of objects depends on it.
   *
   * @param cursor the cursor
   * @return the object
   * @throws IllegalArgumentException if the text is not a cursor
   */
  public static ObjectId parse(String cursor) {
    try {
      if (cursor.startsWith(NAMED)) {
        byte[] name = HexFormat.of().parseHex(cursor.substring(1));
        // The order depends on the name only.
        return ObjectId.of(
            new byte[ObjectId.LENGTH_BYTES], new String(name, StandardCharsets.UTF_8));
      }
      if (cursor.startsWith(UNNAMED)) {
        return ObjectId.of(HexFormat.of().parseHex(cursor.substring(1)), null);
      }
    } catch (IllegalArgumentException e) {
      throw notACursor(cursor, e);
    }
    throw notACursor(cursor, null);
  }

  private static IllegalArgumentException notACursor(
      String cursor, @Nullable IllegalArgumentException cause) {
    return new IllegalArgumentException(
        "Not a cursor of a list of objects; begin with the first page: " + cursor, cause);
  }
}
