package dev.holdfast.embedded;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archiver.ArchiveRestore;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Restores some objects where the archive begins with an image of the files: the files of all
 * objects are in one catalog and one RocksDB. So everything is restored beside the place, and the
 * objects are copied from there into a new data directory, with their present state and without
 * their history.
 *
 * <p>As with a restore of everything, the directory appears when it is complete and durable.
 * Confined to one thread.
 */
final class SelectedRestore {

  private final ArchiveRestore archive;
  private final Disk disk;
  private final String namespace;
  private final RestoreRequest request;

  SelectedRestore(ArchiveRestore archive, Disk disk, String namespace, RestoreRequest request) {
    this.archive = archive;
    this.disk = disk;
    this.namespace = namespace;
    this.request = request;
  }

  RestoreResult run(Path to) {
    Path target = to.toAbsolutePath();
    Path place = target.resolveSibling(target.getFileName() + ".selecting");
    try (DirectoryLock lock = DirectoryLock.acquire(place, disk)) {
      Path whole = place.resolve("whole");
      Path selected = place.resolve("data");
      try {
        ArchiveRestore.requireFree(target);
        delete(whole); // of a process that was killed
        delete(selected);
        RestoreResult restored = archive.run(whole, request.target(), null, request.progress());
        copy(whole, selected, place.resolve("object.sqlite"));
        lock.requireHeld();
        Files.deleteIfExists(target); // empty
        Files.move(selected, target, StandardCopyOption.ATOMIC_MOVE);
        disk.forceDirectory(Objects.requireNonNull(target.getParent()));
        return restored;
      } finally {
        delete(place); // under the lock
      }
    } catch (IOException e) {
      throw new DataDirectoryException(target, "The directory cannot be written: " + e, e);
    }
  }

  private void copy(Path whole, Path selected, Path file) throws IOException {
    AtomicReference<Operations> operations = new AtomicReference<>();
    EngineBuilder found = new EngineBuilder(_ -> {});
    try (ObjectRuntime from = open(whole, found, operations::set)) {
      NamespaceOptions options = found.namespaces().get(namespace);
      StorageKind kind = options == null ? NamespaceOptions.DEFAULT.storage() : options.storage();
      EngineBuilder chosen =
          new EngineBuilder(_ -> {})
              .withoutCode(namespace, NamespaceOptions.DEFAULT.withStorage(kind));
      try (ObjectRuntime into = open(selected, chosen, _ -> {})) {
        for (ObjectId id : ids(Objects.requireNonNull(operations.get()), options != null)) {
          Files.deleteIfExists(file);
          from.recovery(namespace, id).exportTo(file);
          into.recovery(namespace, id).importFrom(file);
        }
      }
    }
  }

  private ObjectRuntime open(Path data, EngineBuilder engine, Consumer<Operations> operations) {
    try (OpenedParts parts = new OpenedParts()) {
      SystemTimeSource time = parts.add(new SystemTimeSource());
      ObjectRuntime runtime =
          Holdfast.open(new Opening(data, disk, null, true, operations), engine, time, time, parts);
      parts.handOver();
      return runtime;
    }
  }

  /** {@return the objects, of those that there are} */
  private List<ObjectId> ids(Operations operations, boolean hasNamespace) {
    List<ObjectId> ids = new ArrayList<>();
    String object = request.object();
    ObjectId only = object == null ? null : EngineBuilder.idOf(namespace, object);
    if (hasNamespace) {
      operations.perform(
          OperatorRequest.of("objects").with("namespace", namespace),
          answer -> {
            byte[] bytes = HexFormat.of().parseHex(String.valueOf(answer.get("id")));
            ObjectId id = ObjectId.of(bytes, (String) answer.get("name"));
            if (only == null || only.equals(id)) {
              ids.add(id);
            }
          });
    }
    return ids;
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(file);
        }
      }
    }
  }
}
