package dev.holdfast.backend.rocksdb.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.UnpackDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * RocksDB's library, which the application adds as a dependency: it is large and differs by
 * platform. No class that refers to it is linked before {@link #load} returns.
 */
public final class NativeLibrary {

  private static final String ADVICE =
      "Add the artifact org.rocksdb:rocksdbjni:10.10.1.1 with the classifier of the platform"
          + " (linux64, linux64-musl, osx or win64) to the dependencies of the application, or"
          + " keep the data in SQLite (StorageKind.SQLITE)";

  private NativeLibrary() {}

  /**
   * Finds and loads the library.
   *
   * @param directory the database that is to be opened; for the messages
   * @throws DataDirectoryException if it is missing, or does not support this platform
   */
  public static void load(Path directory) {
    readModuleOfLibrary(directory);
    try {
      Loader.load();
    } catch (IllegalCallerException e) {
      throw new DataDirectoryException(
          directory,
          "Java denies native access to RocksDB's library. Start Java with"
              + " --enable-native-access="
              + Loader.module()
              + ", or allow it in the manifest of the application (Enable-Native-Access)",
          e);
    } catch (RuntimeException | UnsatisfiedLinkError e) {
      // The library copies itself into java.io.tmpdir, which may be full or forbid execution.
      throw new DataDirectoryException(
          directory,
          "RocksDB's native library cannot be loaded on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + " through "
              + System.getProperty("java.io.tmpdir")
              + " ("
              + e.getMessage()
              + "). "
              + ADVICE,
          e);
    }
  }

  /** Does at run time what a {@code requires} would do if the library had a name to rely on. */
  private static void readModuleOfLibrary(Path directory) {
    Module own = NativeLibrary.class.getModule();
    try {
      own.addReads(
          Class.forName("org.rocksdb.RocksDB", false, NativeLibrary.class.getClassLoader())
              .getModule());
    } catch (ClassNotFoundException e) {
      throw new DataDirectoryException(
          directory, "StorageKind.ROCKSDB needs RocksDB's Java library. " + ADVICE, e);
    }
  }

  /** A separate class, because linking it needs the library's classes. */
  private static final class Loader {
    static synchronized void load() {
      if (System.getenv("ROCKSDB_SHAREDLIB_DIR") == null) {
        unpackAndLoad();
      }
      RocksDB.loadLibrary();
    }

    static String module() {
      Module module = RocksDB.class.getModule();
      return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    /**
     * RocksDB unpacks its library into a file and deletes it when the JVM exits normally; a killed
     * process would leave its 15 MB.
     */
    private static void unpackAndLoad() {
      Path parent = Path.of(System.getProperty("java.io.tmpdir", ""));
      try (UnpackDirectory directory = UnpackDirectory.create(parent, "holdfast-rocksdb-")) {
        NativeLibraryLoader.getInstance().loadLibrary(directory.path().toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
