package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Places and bytes that are not the file of an object: the import ends with a typed error that
 * names the file, the object is as before, and nothing is left or written elsewhere.
 */
@Timeout(120)
final class HostileImportTest {

  private static final List<String> ENGINES = List.of("sql", "kv");
  private static final int MUTATIONS = 60;

  @TempDir private Path directory;

  private Path files = Path.of("");
  private Path whole = Path.of("");
  private ObjectRuntime runtime;

  @BeforeEach
  void open() throws IOException {
    files = Files.createDirectory(directory.resolve("files"));
    runtime =
        Holdfast.open(
            directory.resolve("data"),
            objects ->
                objects
                    .namespace("sql", Scripted.class, Scripted::of)
                    .namespace(
                        "kv",
                        Scripted.class,
                        Scripted::of,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
    for (String engine : ENGINES) {
      put(engine, "before");
    }
    whole = files.resolve("whole.sqlite");
    recovery("sql").exportTo(whole);
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private ObjectRecovery recovery(String engine) {
    return runtime.recovery(engine, runtime.namespace(engine, Scripted.class).idFromName("a"));
  }

  private void put(String engine, String value) {
    in(
        runtime.namespace(engine, Scripted.class).getByName("a"),
        context -> {
          for (int i = 0; i < 30; i++) {
            context.storage().put("key" + i, value + "-".repeat(400));
          }
          return "";
        });
  }

  private String content(String engine) {
    return in(
        runtime.namespace(engine, Scripted.class).getByName("a"),
        context -> new TreeMap<>(context.storage().list(String.class)).toString());
  }

  private Map<String, Long> tree(Path root) throws IOException {
    Map<String, Long> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.toList()) {
        tree.put(
            root.relativize(each).toString(), Files.isRegularFile(each) ? Files.size(each) : -1L);
      }
    }
    return tree;
  }

  private void assertRefused(Path file, String why) throws IOException {
    Map<String, Long> around = tree(files);
    for (String engine : ENGINES) {
      String before = content(engine);
      assertThatThrownBy(() -> recovery(engine).importFrom(file))
          .as(engine + " " + file)
          .isInstanceOf(ObjectFileException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining(why);
      assertThat(content(engine)).isEqualTo(before);
    }
    assertThat(tree(files)).isEqualTo(around);
    assertNothingIsLeft();
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("data"))) {
      assertThat(all.filter(each -> each.toString().matches(".*/import/.+"))).isEmpty();
    }
  }

  private static boolean run(String... command) throws Exception {
    return new ProcessBuilder(command).start().waitFor() == 0;
  }

  @Test
  void placesThatAreNotFilesAreRefused() throws Exception {
    assertRefused(Files.createDirectory(files.resolve("directory")), "directory");
    assertRefused(files.resolve("missing"), "does not exist");
    assertRefused(files.resolve("missing/../../files/none"), "does not exist");
    Path loop = files.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertRefused(loop, "does not exist");
    Path link = Files.createSymbolicLink(files.resolve("link"), Path.of("/dev/zero"));
    assertRefused(link, "not a regular file");
    assertRefused(Path.of("/dev/zero"), "not a regular file");
    assertRefused(Path.of("/proc/self/mem"), "");
    assertRefused(Path.of("/proc/self/environ"), "");
  }

  @Test
  void pipeIsNotReadForEver() throws Exception {
    Path pipe = files.resolve("pipe");
    assumeTrue(run("mkfifo", pipe.toString()), "no mkfifo");
    assertRefused(pipe, "not a regular file");
  }

  @Test
  void fileThatWouldFillTheDiskIsRefusedBeforeItIsCopied() throws Exception {
    Path file = files.resolve("huge");
    Files.copy(whole, file);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(4096L << 30);
    } catch (IOException e) {
      assumeTrue(false, "the file system has no files of 4 TiB: " + e.getMessage());
    }
    assertRefused(file, "room");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.write(new byte[16]);
    }
    assertRefused(file, "not a whole database");
  }

  @Test
  void headersThatStateTooMuchAreRefused() throws Exception {
    for (int[] change :
        new int[][] {
          {16, 0}, {16, 3}, {16, 0x2000_0000}, {16, 0xFFFF_0000}, {18, 0x0909_0000},
          {28, -1}, {28, 0x7FFF_FFFF}, {44, 99}, {56, 2}, {56, 99}
        }) {
      byte[] bytes = Files.readAllBytes(whole);
      ByteBuffer.wrap(bytes).putInt(change[0], change[1]);
      assertRefused(Files.write(files.resolve("header-" + change[0] + "-" + change[1]), bytes), "");
    }
  }

  /** Either an error with the object as before, or a state that the file has. */
  @Test
  void mutatedFilesAreReadOrRefused() throws Exception {
    byte[] good = Files.readAllBytes(whole);
    Random random = new Random(7);
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = good.clone();
      for (int change = random.nextInt(1, 6); change > 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Path file = Files.write(files.resolve("mutated"), bytes);
      for (String engine : ENGINES) {
        String before = content(engine);
        try {
          recovery(engine).importFrom(file);
        } catch (ObjectFileException e) {
          refused++;
          assertThat(e).hasMessageContaining(file.toString());
          assertThat(content(engine)).isEqualTo(before);
        }
        put(engine, "before");
      }
      assertNothingIsLeft();
    }
    assertThat(refused).isPositive();
  }
}
