package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What SQLite takes for a database without tables is not the state of an object. */
class ImportedFilesTest {

  private static final int PAGE_BYTES = 4096;

  @TempDir private Path directory;

  private ObjectRuntime runtime;
  private Path data;

  @BeforeEach
  void open() {
    data = directory.resolve("data");
    runtime =
        Holdfast.open(
            data,
            objects ->
                objects
                    .namespace("sql", Scripted.class, Scripted::of)
                    .namespace(
                        "kv",
                        Scripted.class,
                        Scripted::of,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private Scripted object(String namespace, String name) {
    return runtime.namespace(namespace, Scripted.class).getByName(name);
  }

  private ObjectRecovery recovery(String namespace, String name) {
    return runtime.recovery(
        namespace, runtime.namespace(namespace, Scripted.class).idFromName(name));
  }

  private void put(String namespace, String name, String value) {
    in(
        object(namespace, name),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private String content(String namespace, String name) {
    return in(
        object(namespace, name),
        context -> Map.copyOf(context.storage().list(String.class)).toString());
  }

  private void assertRefused(Path file, String why) {
    for (String namespace : List.of("sql", "kv")) {
      put(namespace, "a", "before");
      assertThatThrownBy(() -> recovery(namespace, "a").importFrom(file))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(why);
      assertThat(content(namespace, "a")).isEqualTo("{key=before}");
    }
  }

  @Test
  void fileThatWasCutOffIsRefusedAtEachLength() throws Exception {
    in(
        object("sql", "large"),
        context -> {
          for (int i = 0; i < 20; i++) {
            context.storage().put("key" + i, "x".repeat(3000));
          }
          return "";
        });
    Path whole = directory.resolve("whole.sqlite");
    recovery("sql", "large").exportTo(whole);
    long size = Files.size(whole);
    assertThat(size).isGreaterThan(10 * PAGE_BYTES);
    for (long length :
        List.of(
            0L,
            1L,
            15L,
            16L,
            99L,
            100L,
            511L,
            512L,
            4095L,
            4096L,
            4097L,
            8192L,
            size - 4096,
            size - 1)) {
      Path cut = directory.resolve("cut.sqlite");
      Files.copy(whole, cut, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel channel = FileChannel.open(cut, StandardOpenOption.WRITE)) {
        channel.truncate(length);
      }
      assertRefused(cut, "");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql", "kv"})
  void emptyObjectComesBackAsOne(String namespace) throws Exception {
    Path empty = directory.resolve("empty.sqlite");
    recovery(namespace, "empty").exportTo(empty);
    for (String to : List.of("sql", "kv")) {
      put(to, "b", "gone");
      recovery(to, "b").importFrom(empty);
      assertThat(content(to, "b")).isEqualTo("{}");
    }
  }

  @Test
  void databaseWithoutATableIsRefused() throws Exception {
    Path file = directory.resolve("none.sqlite");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (v)");
      statement.execute("DROP TABLE t");
    }
    assertRefused(file, "has no table");
  }

  @Test
  void filesOfADataDirectoryThatAreNoObjectsAreRefused() throws Exception {
    put("sql", "a", "one");
    put("kv", "a", "one");
    runtime.close();
    Path copies = Files.createDirectory(directory.resolve("copies"));
    try (Stream<Path> all = Files.walk(data)) {
      int number = 0;
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copies.resolve(number++ + "-" + file.getFileName()));
      }
    }
    open();
    try (Stream<Path> all = Files.list(copies)) {
      for (Path file : all.toList()) {
        if (!file.toString().matches(".*[0-9a-f]{64}\\.sqlite")) {
          assertRefused(file, "");
        }
      }
    }
  }

  @Test
  void keyThatIsNotUtf8IsRefusedByItsBytes() throws Exception {
    for (String bytes : List.of("61FF62", "C0AF", "EDA0BDEDB880", "61ED")) {
      Path file = directory.resolve("key-" + bytes + ".sqlite");
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
        statement.execute("INSERT INTO _cf_KV VALUES (CAST(x'" + bytes + "' AS TEXT), x'FF0F30')");
      }
      assertRefused(file, bytes.toLowerCase(java.util.Locale.ROOT));
    }
  }

  @Test
  void keyWithALoneSurrogateGoesOutAndComesBack() {
    in(
        object("sql", "odd"),
        context -> {
          context.storage().put("a\uD83D", "value");
          return "";
        });
    Path file = directory.resolve("odd.sqlite");
    recovery("sql", "odd").exportTo(file);
    recovery("kv", "odd").importFrom(file);
    assertThat(content("kv", "odd")).isEqualTo("{a\uD83D=value}");
  }
}
