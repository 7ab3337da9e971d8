package dev.holdfast.backend.sqlite;

import dev.holdfast.spi.ObjectStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The start of tests of statements: a backend in a directory of its own, and one object. */
public abstract class OpenObject {

  public static final Object[] NONE = {};

  @TempDir Path root;
  public SqliteHost host;
  public ObjectStore store;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 4);
    store = host.store(1);
  }

  @AfterEach
  void close() {
    host.close();
  }
}
