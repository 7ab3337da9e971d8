package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.Page;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.spi.ObjectQuery;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the directory of a namespace in pages. Stateless. */
final class ObjectListing {

  private static final String NAMED = "n";
  private static final String UNNAMED = "u";

  private ObjectListing() {}

  static Page<ObjectId> page(Instances instances, ObjectListOptions options) {
    List<ObjectId> ids =
        instances
            .backend()
            .catalog()
            .objects(
                new ObjectQuery(
                    instances.name(),
                    options.prefix().orElse(null),
                    after(options),
                    options.limit()));
    return new Page<>(
        ids,
        ids.size() < options.limit() ? Optional.empty() : Optional.of(cursorOf(ids.getLast())));
  }

  private static String cursorOf(ObjectId id) {
    return id.name()
        .map(name -> NAMED + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)))
        .orElseGet(() -> UNNAMED + id);
  }

  private static @Nullable ObjectId after(ObjectListOptions options) {
    if (options.cursor().isEmpty()) {
      return null;
    }
    String cursor = options.cursor().get();
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
