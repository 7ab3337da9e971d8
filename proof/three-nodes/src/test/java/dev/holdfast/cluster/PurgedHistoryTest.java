package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is purged from the history of an object is in no file of any node, and stays away. */
final class PurgedHistoryTest {

  /** No text that compresses well. */
  private static final String SECRET = "Zq7-forgotten-4Xw9";

  private static final List<String> ALL = List.of("a", "b", "c");

  /** Small files of the log, which are full soon. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT.withLog(2 << 20, 8 << 20);

  @TempDir private Path directory;

  private ThreeNodes open() throws Exception {
    ThreeNodes nodes = ThreeNodes.open(directory, 1, Texts::register, SMALL);
    nodes.move(0, "a");
    nodes.awaitReady();
    return nodes;
  }

  private static Texts texts(ThreeNodes nodes, String node, String namespace, String name) {
    return nodes.get(node).namespace(namespace, Texts.class).getByName(name);
  }

  private static ObjectId id(ThreeNodes nodes, String node, String namespace, String name) {
    return nodes.get(node).namespace(namespace, Texts.class).idFromName(name);
  }

  /** Values that are replaced and deleted, large ones too, which the log has in parts. */
  private static void fill(ThreeNodes nodes, String node) {
    for (String namespace : List.of("files", "pairs")) {
      for (int i = 0; i < 5; i++) {
        texts(nodes, node, namespace, "old").put("key" + i, SECRET.repeat(10 + i));
        texts(nodes, node, namespace, "other").put("key" + i, "stays" + i);
      }
      texts(nodes, node, namespace, "old").putLarge(SECRET.repeat(6_000));
      for (int i = 0; i < 5; i++) {
        texts(nodes, node, namespace, "old").remove("key" + i);
      }
      texts(nodes, node, namespace, "old").putLarge("new");
    }
  }

  private static CompletableFuture<Void> purge(ThreeNodes nodes, String node) {
    return CompletableFuture.allOf(
        nodes.get(node).admin().purgeHistory("files", id(nodes, node, "files", "old")),
        nodes.get(node).admin().purgeHistory("pairs", id(nodes, node, "pairs", "old")));
  }

  private List<Path> withSecret(String... names) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : names) {
      try (Stream<Path> files = Files.walk(directory.resolve(name))) {
        files.filter(Files::isRegularFile).filter(PurgedHistoryTest::hasSecret).forEach(found::add);
      } catch (UncheckedIOException e) {
        return withSecret(names); // a file was renamed meanwhile
      }
    }
    return found;
  }

  private static boolean hasSecret(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertState(ThreeNodes nodes, String node) {
    for (String namespace : List.of("files", "pairs")) {
      assertThat(texts(nodes, node, namespace, "old").get("key1")).isEqualTo("none");
      assertThat(texts(nodes, node, namespace, "old").get("large1")).isEqualTo("new");
      assertThat(texts(nodes, node, namespace, "other").get("key1")).isEqualTo("stays1");
    }
  }

  @Test
  void bytesAreInNoFileOfAnyNodeWhenAPurgeHasEnded() throws Exception {
    try (ThreeNodes nodes = open()) {
      fill(nodes, "b");
      nodes.awaitAllAlike();
      assertThat(ALL).allSatisfy(name -> assertThat(withSecret(name)).isNotEmpty());

      purge(nodes, "c").join();

      assertThat(withSecret("a", "b", "c")).isEmpty();
      assertState(nodes, "b");
      for (String name : List.of("b", "c")) {
        nodes.move(0, name);
        nodes.awaitReady();
        assertState(nodes, name);
      }
      assertThat(withSecret("a", "b", "c")).isEmpty();
    }
    assertThat(withSecret("a", "b", "c")).isEmpty();
  }

  @Test
  void nodeThatWasAwayHoldsThePurgeAndBringsNothingBack() throws Exception {
    try (ThreeNodes nodes = open()) {
      fill(nodes, "b");
      nodes.awaitAllAlike();
      nodes.closeNode("c");
      CompletableFuture<Void> purge = purge(nodes, "b");
      while (!withSecret("a/shards/0000/journal", "b/shards/0000/journal").isEmpty()) {
        Polling.pause();
      }
      assertThat(purge).isNotDone();
      assertThat(withSecret("c")).isNotEmpty();

      nodes.openNode("c", SMALL);
      nodes.awaitReady();
      purge.join();
      assertThat(withSecret("a", "b", "c")).isEmpty();

      for (String name : ALL) {
        nodes.closeNode(name);
        nodes.openNode(name, SMALL);
        nodes.awaitReady();
      }
      assertState(nodes, "c");
      assertThat(withSecret("a", "b", "c")).isEmpty();
    }
  }

  @Test
  void nodeThatHasNotRegisteredTheNamespaceSaysThatThePurgeWaitsForIt() throws Exception {
    try (ThreeNodes nodes = open()) {
      fill(nodes, "b");
      nodes.awaitAllAlike();
      nodes.closeNode("c");
      CompletableFuture<Void> purge;
      try (ClusterRuntime lacking =
          ClusterNode.open(
              nodes.directoryOf("c"),
              nodes.options("c"),
              objects -> objects.namespace("files", Texts.class, Texts.TextsObject::new),
              new SecureRandom(),
              SMALL,
              null,
              new FileDisk())) {
        purge = purge(nodes, "b");
        String text = "";
        while (text.isEmpty()) {
          Polling.pause();
          text =
              lacking.health().reasons().stream()
                  .filter(each -> each.code().equals(HealthReason.PURGE_WAITS))
                  .map(HealthReason::text)
                  .findFirst()
                  .orElse("");
        }
        assertThat(text).contains("node c", "\"pairs\" is not registered", "Register it");
        assertThat(purge).isNotDone();
      }

      nodes.openNode("c", SMALL);
      nodes.awaitReady();
      purge.join();
      assertThat(withSecret("a", "b", "c")).isEmpty();
      assertThat(nodes.get("c").health().reasons())
          .noneMatch(each -> each.code().equals(HealthReason.PURGE_WAITS));
    }
  }

  @Test
  void nextOwnerGoesOn() throws Exception {
    try (ThreeNodes nodes = open()) {
      fill(nodes, "b");
      CompletableFuture<Void> purge = purge(nodes, "c");
      nodes.move(0, "b");
      nodes.awaitReady();
      nodes.move(0, "c");
      nodes.awaitReady();
      nodes.closeNode("a");
      nodes.openNode("a", SMALL);
      nodes.awaitReady();

      purge.join();

      assertThat(withSecret("a", "b", "c")).isEmpty();
      assertState(nodes, "a");
    }
  }
}
