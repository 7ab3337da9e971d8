package dev.holdfast.conformance.host;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** A file of the reference's layout with keys and values, read and written without the runtime. */
public final class PairFile {

  private PairFile() {}

  /**
   * Reads a file.
   *
   * @param file the file
   * @return the bytes of its values in hex, by key
   */
  public static Map<String, String> read(Path file) {
    Map<String, String> values = new LinkedHashMap<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT key, value FROM _cf_KV ORDER BY key")) {
      while (rows.next()) {
        values.put(rows.getString(1), HexFormat.of().formatHex(rows.getBytes(2)));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Creates a file.
   *
   * @param file a file that does not exist
   * @param pairs its contents
   */
  public static void write(Path file, Map<String, byte[]> pairs) {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO _cf_KV VALUES (?, ?)")) {
        for (Map.Entry<String, byte[]> pair : pairs.entrySet()) {
          insert.setString(1, pair.getKey());
          insert.setBytes(2, pair.getValue());
          insert.executeUpdate();
        }
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(file + " cannot be created: " + e.getMessage(), e);
    }
  }
}
