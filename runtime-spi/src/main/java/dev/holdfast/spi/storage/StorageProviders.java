package dev.holdfast.spi.storage;

import dev.holdfast.StorageKind;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.NamespaceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The storage backends among the dependencies of the application, beside SQLite, which every
 * runtime has. They are looked for once in a process, when the first one is needed. Thread-safe.
 */
public final class StorageProviders {

  /** The view id of RocksDB in the journal; docs/formats/rocksdb-batch.md. */
  private static final int ROCKSDB_VIEW_ID = 2;

  private static final List<String> ROCKSDB_FILES = List.of("rocksdb", "rocksdb.flushed");

  private static final String ADD_ROCKSDB =
      "Add dev.holdfast:holdfast-backend-kv-rocksdb, in the version of Holdfast, and"
          + " org.rocksdb:rocksdbjni:10.10.1.1 with the classifier of the platform (linux64,"
          + " linux64-musl, osx or win64) to the dependencies of the application";

  private static @Nullable Map<String, StorageProvider> found; // guarded by the class

  private StorageProviders() {}

  /**
   * {@return whether a data directory has files of RocksDB, which must follow its journal}
   *
   * @param data the data directory; may be missing
   */
  public static boolean hasRocksDb(Path data) {
    return ROCKSDB_FILES.stream().anyMatch(name -> Files.exists(data.resolve(name)));
  }

  /**
   * Returns the backend that a namespace asks for.
   *
   * @param namespace the namespace, for the message
   * @param kind what it asks for; not SQLite
   * @return the provider
   * @throws NamespaceException if it is not among the dependencies; the message says what to add
   * @throws IllegalStateException if a provider cannot be used, or two have the same kind or id
   */
  public static StorageProvider require(String namespace, StorageKind kind) {
    StorageProvider provider = all().get(kind.name());
    if (provider == null) {
      throw new NamespaceException(
          namespace,
          "The namespace \""
              + namespace
              + "\" asks for the storage "
              + kind
              + ", which no dependency of the application has. "
              + advice(kind)
              + ", or register the namespace with another storage; nothing was changed");
    }
    return provider;
  }

  /**
   * Returns the backend of RocksDB, for a directory that has its data.
   *
   * @param data the directory, for the message
   * @return the provider
   * @throws DataDirectoryException if it is not among the dependencies; the message says what to
   *     add
   * @throws IllegalStateException if a provider cannot be used, or two have the same kind or id
   */
  public static StorageProvider requireRocksDb(Path data) {
    return requireFor(data, all().get(StorageKind.ROCKSDB.name()), ROCKSDB_VIEW_ID);
  }

  /**
   * Returns the backend that has written records of a journal.
   *
   * @param data the directory, for the message
   * @param viewId what marks the records
   * @return the provider
   * @throws DataDirectoryException if it is not among the dependencies; the message says what to
   *     add
   * @throws IllegalStateException if a provider cannot be used, or two have the same kind or id
   */
  public static StorageProvider requireView(Path data, int viewId) {
    return requireFor(
        data,
        all().values().stream().filter(each -> each.viewId() == viewId).findAny().orElse(null),
        viewId);
  }

  private static StorageProvider requireFor(
      Path data, @Nullable StorageProvider provider, int viewId) {
    if (provider != null) {
      return provider;
    }
    if (viewId == ROCKSDB_VIEW_ID) {
      throw new DataDirectoryException(
          data,
          "The directory has data in RocksDB, and no dependency of the application has that"
              + " storage. "
              + ADD_ROCKSDB
              + "; no record was lost",
          null);
    }
    throw new DataDirectoryException(
        data,
        "The journal has records of a storage backend with view id "
            + viewId
            + ", which no dependency of the application has. Add the artifact of that backend to"
            + " the dependencies of the application; no record was lost",
        null);
  }

  private static String advice(StorageKind kind) {
    if (kind.equals(StorageKind.ROCKSDB)) {
      return ADD_ROCKSDB;
    }
    List<String> names = new ArrayList<>(List.of(StorageKind.SQLITE.name()));
    names.addAll(all().keySet());
    return "Add the artifact of that backend to the dependencies of the application (found: "
        + String.join(", ", names)
        + ")";
  }

  private static synchronized Map<String, StorageProvider> all() {
    Map<String, StorageProvider> providers = found;
    if (providers == null) {
      // With the loader of Holdfast: the loader of a thread may be any.
      providers =
          byName(ServiceLoader.load(StorageProvider.class, StorageProvider.class.getClassLoader()));
      found = providers;
    }
    return providers;
  }

  static Map<String, StorageProvider> byName(Iterable<StorageProvider> found) {
    Map<String, StorageProvider> byName = new TreeMap<>();
    try {
      for (StorageProvider each : found) {
        requireOwn(each, byName);
        byName.put(each.kind().name(), each);
      }
    } catch (ServiceConfigurationError e) {
      throw new IllegalStateException(
          "A storage backend among the dependencies of the application cannot be used: "
              + e.getMessage(),
          e);
    }
    return byName;
  }

  /** Records of two backends that nothing distinguishes would be read by both. */
  private static void requireOwn(StorageProvider provider, Map<String, StorageProvider> others) {
    int id = provider.viewId();
    StorageKind kind = provider.kind();
    boolean isRocksDb = kind.equals(StorageKind.ROCKSDB) && id == ROCKSDB_VIEW_ID;
    boolean isOfOthers =
        id >= StorageProvider.VIEW_ID_MIN
            && id <= StorageProvider.VIEW_ID_MAX
            && !kind.equals(StorageKind.SQLITE)
            && !kind.equals(StorageKind.ROCKSDB);
    if (!isRocksDb && !isOfOthers) {
      throw new IllegalStateException(
          provider.getClass().getName()
              + " provides the storage "
              + kind
              + " with view id "
              + id
              + ". A backend has an unused name and an id from "
              + StorageProvider.VIEW_ID_MIN
              + " to "
              + StorageProvider.VIEW_ID_MAX);
    }
    for (StorageProvider other : others.values()) {
      if (other.kind().equals(kind) || other.viewId() == id) {
        throw new IllegalStateException(
            provider.getClass().getName()
                + " and "
                + other.getClass().getName()
                + " provide storage with the same name or view id: "
                + kind
                + " "
                + id
                + ", "
                + other.kind()
                + " "
                + other.viewId()
                + ". Leave one of them out of the dependencies of the application");
      }
    }
  }
}
