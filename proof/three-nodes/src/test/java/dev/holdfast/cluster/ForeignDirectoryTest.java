package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are not those of a node: refused, and not changed by a byte. */
final class ForeignDirectoryTest {

  private static final ClusterOptions OPTIONS =
      ClusterOptions.of("shop")
          .node("a")
          .members("a=127.0.0.1:1", "b=127.0.0.1:3", "c=127.0.0.1:5");

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  private static ObjectRuntime single(Path data) {
    return Holdfast.open(data, ForeignDirectoryTest::register);
  }

  /** {@return all below, with content, times and modes; the lock names its last owner} */
  private static Map<String, String> tree(Path root) throws IOException {
    Map<String, String> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.toList()) {
        boolean isLock = each.endsWith("LOCK");
        tree.put(
            each.toString(),
            (isLock ? "" : Files.getLastModifiedTime(each))
                + " "
                + Files.getPosixFilePermissions(each)
                + (Files.isRegularFile(each) && !isLock
                    ? Files.readString(each, StandardCharsets.ISO_8859_1)
                    : ""));
      }
    }
    return tree;
  }

  private static void requireRefused(Path data, ClusterOptions options, String why)
      throws IOException {
    Map<String, String> before = tree(data);
    assertThatThrownBy(
            () -> ClusterHoldfast.open(data, options, ForeignDirectoryTest::register).close())
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(data.toString())
        .hasMessageContaining(why);
    assertThat(tree(data)).isEqualTo(before);
  }

  @Test
  void directoryOfSomethingElseIsRefusedByTheNameOfItsFile() throws IOException {
    Path home = Files.createDirectory(directory.resolve("home"));
    Files.writeString(home.resolve("letter"), "mine");

    requireRefused(home, OPTIONS, "it has letter");
  }

  @Test
  void directoryOfASingleMachineIsRefusedAndOpensAgain() throws IOException {
    Path data = directory.resolve("single");
    try (ObjectRuntime runtime = single(data)) {
      runtime.namespace("counters", Counter.class).getByName("x").add(3);
    }
    requireRefused(data, OPTIONS, "cluster adopt");

    Path backup = directory.resolve("backup");
    Holdfast.backup(data, backup);
    requireRefused(backup, OPTIONS, "cluster adopt");

    try (ObjectRuntime runtime = single(data)) {
      assertThat(runtime.namespace("counters", Counter.class).getByName("x").add(0)).isEqualTo(3);
    }
  }

  @Test
  void fileIsNoDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "mine");

    requireRefused(file, OPTIONS, "is a file");
  }

  @Test
  void directoryOfAnotherNodeIsRefused() throws IOException {
    Path data = directory.resolve("node");
    ClusterOptions plain =
        ClusterOptions.of("shop").node("a").members("a=127.0.0.1:1").withShards(1);
    Holdfast.open(data, ForeignDirectoryTest::register).close();
    ClusterHoldfast.adopt(data, plain);

    requireRefused(data, OPTIONS.node("b").withShards(1), "");
    requireRefused(data, ClusterOptions.of("other").node("a").members("a=127.0.0.1:1"), "");
    assertThatThrownBy(() -> single(data))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("ClusterHoldfast.open");
  }

  @Test
  void backupOfANodeIsNotChangedByASingleMachine() throws IOException {
    Path data = Files.createDirectory(directory.resolve("node"));
    Files.writeString(data.resolve("node"), "cluster=shop\nnode=a\nshards=1\n");
    Map<String, String> before = tree(data);

    assertThatThrownBy(() -> single(data)).isInstanceOf(DataDirectoryException.class);

    assertThat(tree(data)).isEqualTo(before);
  }
}
