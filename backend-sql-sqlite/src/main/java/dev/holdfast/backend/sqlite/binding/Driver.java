package dev.holdfast.backend.sqlite.binding;

import dev.holdfast.spi.disk.UnpackDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteJDBCLoader;

/**
 * Loads the native library of sqlite-jdbc, once per process, and defines the tested version.
 *
 * <p>The driver unpacks its library into a file and deletes the file when the JVM ends normally; a
 * killed process would leave it. So the library is unpacked into an {@link UnpackDirectory}, which
 * is deleted as soon as it is loaded.
 */
final class Driver {

  /** The version that all tests run with. */
  static final String VERSION_TESTED = "3.54.1.0";

  private static final String DIRECTORY_PROPERTY = "org.sqlite.tmpdir";
  private static final String LIBRARY_PROPERTY = "org.sqlite.lib.path";

  // Guarded by the class.
  private static boolean loaded;

  private Driver() {}

  /**
   * {@return the present and the expected version if they differ; null if the tested version is
   * present}
   *
   * <p>Asks the driver, which contains its own SQLite, and loads nothing: a runtime may have no
   * object in SQLite. A library that the application has put in its place is always reported.
   */
  static @Nullable String untestedVersion() {
    String version = SQLiteJDBCLoader.getVersion();
    String library = System.getProperty(LIBRARY_PROPERTY);
    if (version.equals(VERSION_TESTED) && library == null) {
      return null;
    }
    return "sqlite-jdbc "
        + version
        + (library == null ? "" : " with a library in " + library)
        + " is used, and this Holdfast is tested with sqlite-jdbc "
        + VERSION_TESTED
        + " only";
  }

  /**
   * Loads the library unless it is already loaded.
   *
   * @throws SQLException if it cannot be loaded
   */
  static synchronized void load() throws SQLException {
    if (loaded) {
      return;
    }
    String chosen = System.getProperty(DIRECTORY_PROPERTY);
    UnpackDirectory own = privateDirectory(chosen);
    try {
      if (own != null) {
        System.setProperty(DIRECTORY_PROPERTY, own.path().toString());
      }
      if (!SQLiteJDBCLoader.initialize()) {
        throw new SQLException("sqlite-jdbc has not loaded its native library");
      }
      loaded = true;
    } catch (SQLException e) {
      throw e;
    } catch (IllegalCallerException e) {
      throw new SQLException(
          "Java denies native access to sqlite-jdbc. Start Java with --enable-native-access="
              + moduleOfDriver()
              + ", or allow it in the manifest of the application (Enable-Native-Access)",
          e);
    } catch (Exception e) {
      throw new SQLException(
          "sqlite-jdbc cannot load its native library, which it unpacks into "
              + parent(chosen)
              + ". The directory must be writable, and on a file system that allows execution (not"
              + " mounted with noexec); name another one with -D"
              + DIRECTORY_PROPERTY
              + ". "
              + e.getMessage(),
          e);
    } finally {
      if (own != null) {
        restore(chosen);
        own.close();
      }
    }
  }

  private static String moduleOfDriver() {
    Module module = SQLiteJDBCLoader.class.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }

  private static String parent(@Nullable String chosen) {
    return chosen != null ? chosen : System.getProperty("java.io.tmpdir", "");
  }

  /**
   * {@return a new directory; null to leave everything to the driver, which may need no directory}
   */
  private static @Nullable UnpackDirectory privateDirectory(@Nullable String chosen) {
    try {
      return UnpackDirectory.create(Path.of(parent(chosen)), "holdfast-sqlite-");
    } catch (IOException e) {
      return null;
    }
  }

  private static void restore(@Nullable String chosen) {
    if (chosen == null) {
      System.clearProperty(DIRECTORY_PROPERTY);
    } else {
      System.setProperty(DIRECTORY_PROPERTY, chosen);
    }
  }
}
