package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.recovery.ObjectRecovery;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of objects are made and read on any node, whichever node owns the object. */
final class TravellingFilesTest {

  private static final List<String> ALL = List.of("a", "b", "c");

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** More than a piece, and with the undo less than a turn may have. */
  private static final int LARGE_BYTES = LONG ? 3 << 20 : 3 << 19;

  /** Moves of a shard while files travel. */
  private static final int MOVES = LONG ? 6 : 3;

  interface Shelf {
    void put(String key, byte[] value);

    byte[] get(String key);
  }

  record ShelfObject(ObjectContext context) implements Shelf {
    @Override
    public void put(String key, byte[] value) {
      for (int i = 0; i * 100_000 < value.length; i++) {
        int end = Math.min(value.length, (i + 1) * 100_000);
        context.storage().put(key + i, Arrays.copyOfRange(value, i * 100_000, end));
      }
    }

    @Override
    public byte[] get(String key) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; ; i++) {
        byte[] part = context.storage().get(key + i, byte[].class).orElse(null);
        if (part == null) {
          return all.toByteArray();
        }
        all.writeBytes(part);
      }
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, TravellingFilesTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Shelf.class, ShelfObject::new);
    objects.namespace(
        "keys",
        Shelf.class,
        ShelfObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private static Shelf shelf(String node, String namespace, String name) {
    return nodes.get(node).namespace(namespace, Shelf.class).getByName(name);
  }

  private static ObjectRecovery recovery(String node, String namespace, String name) {
    ObjectId id = nodes.get(node).namespace(namespace, Shelf.class).idFromName(name);
    return nodes.get(node).recovery(namespace, id);
  }

  private static byte[] random(int bytes, int seed) {
    byte[] random = new byte[bytes];
    new Random(seed).nextBytes(random);
    return random;
  }

  private static List<Path> staged() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String node : ALL) {
      Path staged = nodes.directoryOf(node).resolve("staged");
      if (Files.exists(staged)) {
        try (Stream<Path> files = Files.list(staged)) {
          files.forEach(found::add);
        }
      }
    }
    return found;
  }

  @Test
  void fileTravelsFromAndToEveryNode() throws Exception {
    byte[] content = random(LARGE_BYTES, 1);
    for (String namespace : List.of("sql", "keys")) {
      shelf("a", namespace, "origin").put("k", content.clone());
      for (String from : ALL) {
        Path file = directory.resolve(namespace + "-" + from + ".sqlite");
        recovery(from, namespace, "origin").exportTo(file);
        for (String to : LONG ? ALL : List.of(ALL.get((ALL.indexOf(from) + 1) % 3))) {
          String name = "copy-" + from + to;
          recovery(to, namespace, name).importFrom(file);
          assertThat(shelf(from, namespace, name).get("k")).isEqualTo(content);
        }
      }
    }
    assertThat(staged()).isEmpty();
  }

  @Test
  void fileThatCannotBeUsedIsNamedAsTheAskerKnowsIt() throws Exception {
    shelf("a", "sql", "kept").put("k", new byte[] {1});
    Path there = Files.writeString(directory.resolve("there"), "not a database");
    Path lost = directory.resolve("nowhere").resolve("file");
    for (String node : ALL) {
      ObjectRecovery recovery = recovery(node, "sql", "kept");
      assertThatThrownBy(() -> recovery.exportTo(there))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(there + " exists already");
      assertThatThrownBy(() -> recovery.exportTo(lost))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(lost + " cannot be written: there is no directory");
      assertThatThrownBy(() -> recovery.importFrom(lost))
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(lost + " cannot be read: the file does not exist");
      assertThatThrownBy(() -> recovery.importFrom(directory))
          .isInstanceOf(ObjectFileException.class);
      assertThatThrownBy(() -> recovery.importFrom(there))
          .isInstanceOfSatisfying(
              ObjectFileException.class,
              refused -> assertThat(refused.file()).isEqualTo(there.toString()))
          .hasMessageContaining(there + " cannot be read: it is not a whole database");
      assertThat(shelf(node, "sql", "kept").get("k")).containsExactly(1);
    }
    assertThat(staged()).isEmpty();
    assertThat(there).hasContent("not a database");
  }

  @Test
  void objectIsWholeWhateverItsShardDoesMeanwhile() throws Exception {
    byte[] old = random(LARGE_BYTES, 2);
    shelf("a", "sql", "moving").put("k", old);
    Path file = directory.resolve("moving.sqlite");
    recovery("a", "sql", "moving").exportTo(file);
    ObjectId id = nodes.get("a").namespace("sql", Shelf.class).idFromName("moving");
    int shard = new ShardMap(3).shardOf(id);

    for (int round = 0; round < MOVES; round++) {
      String to = ALL.get(round % 3);
      CompletableFuture<Void> moved = CompletableFuture.runAsync(() -> nodes.move(shard, to));
      Path target = directory.resolve("moved-" + round);
      String name = "moving-" + round;
      for (String node : ALL) {
        try {
          recovery(node, "sql", "moving").exportTo(target);
          recovery(node, "sql", "compared-" + round).importFrom(target);
          assertThat(shelf(node, "sql", "compared-" + round).get("k")).isEqualTo(old);
          Files.delete(target);
        } catch (ObjectUnavailableException | ObjectFileException e) {
          requireRepeatable(e);
          Files.deleteIfExists(target); // the export may have been whole
        }
        try {
          recovery(node, "sql", name).importFrom(file);
        } catch (ObjectUnavailableException | ObjectFileException e) {
          assertThat(shelf(node, "sql", name).get("k").length).isIn(0, old.length);
        }
      }
      moved.join();
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(each -> each.toString().endsWith(".part"))).isEmpty();
    }
  }

  private static void requireRepeatable(RuntimeException failure) {
    if (failure instanceof ObjectUnavailableException unavailable) {
      assertThat(unavailable.delivery()).isIn(Delivery.NOT_DELIVERED, Delivery.UNKNOWN);
    } else {
      assertThat(failure).hasMessageContaining("Repeat it");
    }
  }
}
