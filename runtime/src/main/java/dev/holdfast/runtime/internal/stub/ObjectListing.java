package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.Page;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.ListCursor;
import dev.holdfast.spi.ObjectQuery;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the directory of a namespace in pages. Stateless. */
final class ObjectListing {

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
        ids.size() < options.limit()
            ? Optional.empty()
            : Optional.of(ListCursor.after(ids.getLast())));
  }

  private static @Nullable ObjectId after(ObjectListOptions options) {
    return options.cursor().map(ListCursor::parse).orElse(null);
  }
}
