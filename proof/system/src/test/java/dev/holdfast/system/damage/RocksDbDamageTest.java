package dev.holdfast.system.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.StorageFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the rows of the table of RocksDB in damage.md. */
class RocksDbDamageTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final Path PAGE = Path.of("..", "..", "docs", "formats", "damage.md");

  @TempDir private Path directory;

  /** A row of the table. */
  private record Row(String file, String damage, String withHistory, String withoutHistory) {

    private static Row of(String line) {
      String[] cells = line.split("\\|");
      return new Row(
          cells[1].replace("`", "").strip(), cells[2].strip(), cells[3].strip(), cells[4].strip());
    }
  }

  private static List<Row> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .dropWhile(line -> !line.equals("## RocksDB"))
        .filter(line -> line.startsWith("| `"))
        .takeWhile(line -> !line.startsWith("## S"))
        .map(Row::of)
        .toList();
  }

  /** The same directory at two moments, and a different one. */
  private record Scene(DataDirectory older, DataDirectory newer, DataDirectory foreign) {}

  private Scene scene(boolean keepsHistory) {
    Path parent = directory.resolve(keepsHistory ? "with" : "without");
    DataDirectory live = new DataDirectory(parent.resolve("live"), keepsHistory);
    live.write("first");
    DataDirectory older = live.copyTo(parent.resolve("older"));
    live.write("second");
    DataDirectory foreign = new DataDirectory(parent.resolve("foreign"), keepsHistory);
    foreign.write("first");
    return new Scene(older, live, foreign);
  }

  @Test
  void everyRowIsTrueOfAJournalThatHasEverything() throws IOException {
    Scene scene = scene(true);
    for (Row row : rows()) {
      check(scene, row, row.withHistory());
    }
  }

  @Test
  void everyRowIsTrueOfAJournalThatHasDroppedWhatTheDatabaseHad() throws IOException {
    Scene scene = scene(false);
    for (Row row : rows()) {
      if (LONG || !row.withoutHistory().equals(row.withHistory())) {
        check(scene, row, row.withoutHistory());
      }
    }
  }

  @Test
  void tableHasEveryKindOfFileAndOfDamage() throws IOException {
    assertThat(rows()).hasSizeGreaterThanOrEqualTo(29);
  }

  private void check(Scene scene, Row row, String outcome) throws IOException {
    DataDirectory damaged = scene.newer().copyTo(directory.resolve("damaged"));
    damage(scene, row, damaged);
    String where = row + " " + outcome;
    switch (outcome) {
      case "opened", "restored" -> {
        assertThat(damaged.has("first", "second")).as(where).isTrue();
        assertThat(damaged.has("first", "second")).as(where + ", again").isTrue();
      }
      case "refused" -> requireRefusal(where, damaged);
      case "restored or refused" -> {
        // What RocksDB recorded last depends on its background threads.
        try {
          assertThat(damaged.has("first", "second")).as(where).isTrue();
        } catch (DataDirectoryException e) {
          requireRefusal(where, damaged);
        }
      }
      case "read refused" ->
          assertThatThrownBy(() -> damaged.has("first", "second"))
              .as(where)
              .isInstanceOf(StorageFailedException.class)
              .hasMessageContaining(damaged.rocksDb().toString());
      default -> throw new AssertionError("No such outcome: " + where);
    }
  }

  private static void requireRefusal(String where, DataDirectory damaged) {
    assertThatThrownBy(() -> damaged.has("first", "second"))
        .as(where)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(damaged.path().resolve("rocksdb").toString());
  }

  private static void damage(Scene scene, Row row, DataDirectory damaged) throws IOException {
    switch (row.file()) {
      case "rocksdb/" -> damageDatabase(scene, row.damage(), damaged);
      case "rocksdb.flushed" -> damageMark(scene, row.damage(), damaged);
      case "rocksdb/ and rocksdb.flushed" -> {
        damageDatabase(scene, row.damage(), damaged);
        damageMark(scene, row.damage(), damaged);
      }
      case "rocksdb/ older, rocksdb.flushed" -> {
        damageDatabase(scene, "older", damaged);
        damageMark(scene, row.damage(), damaged);
      }
      default -> damageFile(scene, row, damaged);
    }
  }

  private static void damageDatabase(Scene scene, String damage, DataDirectory damaged)
      throws IOException {
    switch (damage) {
      case "missing" -> DataDirectory.delete(damaged.rocksDb());
      case "emptied" -> {
        DataDirectory.delete(damaged.rocksDb());
        Files.createDirectory(damaged.rocksDb());
      }
      case "older" -> DataDirectory.copy(scene.older().rocksDb(), damaged.rocksDb());
      case "foreign" -> DataDirectory.copy(scene.foreign().rocksDb(), damaged.rocksDb());
      default -> throw new AssertionError("No such damage: " + damage);
    }
  }

  private static void damageMark(Scene scene, String damage, DataDirectory damaged)
      throws IOException {
    switch (damage) {
      case "older" -> replace(scene.older().mark(), damaged.mark());
      case "foreign" -> replace(scene.foreign().mark(), damaged.mark());
      default -> damage(damaged.mark(), damage);
    }
  }

  private static void damageFile(Scene scene, Row row, DataDirectory damaged) throws IOException {
    String name = row.file().substring("rocksdb/".length());
    Path file = find(damaged, name);
    if (row.damage().equals("foreign")) {
      replace(find(scene.foreign(), name), file);
    } else {
      damage(file, row.damage());
    }
  }

  private static void replace(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /** {@return the file of a name; with a star for a part of it, the largest match} */
  private static Path find(DataDirectory data, String name) throws IOException {
    String[] parts = name.split("\\*", -1);
    try (Stream<Path> files = Files.list(data.rocksDb())) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(parts[0]))
          .filter(file -> file.getFileName().toString().endsWith(parts[parts.length - 1]))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  private static void damage(Path file, String damage) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    switch (damage) {
      case "missing" -> Files.delete(file);
      case "emptied" -> Files.write(file, new byte[0]);
      case "cut" -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
      case "bit flipped" -> {
        bytes[Math.min(bytes.length / 4, 200)] ^= 1;
        Files.write(file, bytes);
      }
      case "bit flipped in the last record" -> {
        bytes[bytes.length - 1] ^= 1;
        Files.write(file, bytes);
      }
      default -> throw new AssertionError("No such damage: " + damage);
    }
  }
}
