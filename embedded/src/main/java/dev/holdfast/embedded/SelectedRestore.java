package dev.holdfast.embedded;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.Inspection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some objects of a restored data directory, in a new one: the files of all objects are in one
 * catalog and one RocksDB, so everything is restored beside the place, and the objects are copied
 * from there, with their present state and without their history. Confined to one thread.
 */
final class SelectedRestore {

  /** How many objects are read from a catalog at once. */
  private static final int PAGE = 10_000;

  private final Disk disk;
  private final String namespace;
  private final @Nullable String object;

  /**
   * @param namespace the only namespace
   * @param object the name or id of the only object; null for all of the namespace
   */
  SelectedRestore(Disk disk, String namespace, @Nullable String object) {
    this.disk = disk;
    this.namespace = namespace;
    this.object = object;
  }

  /**
   * Copies the objects.
   *
   * @param whole a data directory
   * @param selected the new one
   * @param work a directory for files
   */
  void copy(Path whole, Path selected, Path work) throws IOException {
    Path file = work.resolve("object.sqlite");
    EngineBuilder found = new EngineBuilder(_ -> {});
    try (OperatedDirectory from = OperatedDirectory.open(whole, disk, found)) {
      NamespaceOptions options = found.namespaces().get(namespace);
      StorageKind kind = options == null ? NamespaceOptions.DEFAULT.storage() : options.storage();
      EngineBuilder chosen =
          new EngineBuilder(_ -> {})
              .withoutCode(namespace, NamespaceOptions.DEFAULT.withStorage(kind));
      try (OperatedDirectory into = OperatedDirectory.open(selected, disk, chosen)) {
        for (ObjectId id : options == null ? List.<ObjectId>of() : ids(from.inspection())) {
          Files.deleteIfExists(file);
          from.runtime().recovery(namespace, id).exportTo(file);
          into.runtime().recovery(namespace, id).importFrom(file);
        }
      }
    }
  }

  private List<ObjectId> ids(Inspection inspection) {
    ObjectId only = object == null ? null : EngineBuilder.idOf(namespace, object);
    List<ObjectId> ids = new ArrayList<>();
    ObjectId last = null;
    List<ObjectId> page;
    do {
      page = inspection.objects(new ObjectQuery(namespace, null, last, PAGE));
      page.stream().filter(id -> only == null || only.equals(id)).forEach(ids::add);
      last = page.isEmpty() ? null : page.getLast();
    } while (page.size() == PAGE);
    return ids;
  }
}
