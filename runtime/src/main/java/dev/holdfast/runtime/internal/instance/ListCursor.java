package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Where a list of objects continues, as a text: after an object, by its name and its id. */
public final class ListCursor {

  private static final String NAMED = "n";
  private static final String UNNAMED = "u";

  /** Between a name and an id; less than every digit, so that cursors compare as the objects do. */
  private static final char ID = '.';

  private ListCursor() {}

  /**
   * {@return the cursor after an object}
   *
   * @param id the object
   */
  public static String after(ObjectId id) {
    return id.name()
        .map(
            name ->
                NAMED + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)) + ID + id)
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
        int end = cursor.indexOf(ID);
        byte[] name = HexFormat.of().parseHex(cursor, 1, end < 0 ? cursor.length() : end);
        byte[] id;
        if (end < 0) { // of an earlier version: after all objects of the name
          id = new byte[ObjectId.LENGTH_BYTES];
          Arrays.fill(id, (byte) 0xFF);
        } else {
          id = HexFormat.of().parseHex(cursor, end + 1, cursor.length());
        }
        return ObjectId.of(id, new String(name, StandardCharsets.UTF_8));
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
