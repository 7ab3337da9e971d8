package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.faults.Polling;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A node that was away for longer than the logs reach back is a node like the others again. */
final class FetchedCopyTest {

  /** As small as a log can be. */
  private static final ClusterNode.Settings SHORT =
      ClusterNode.Settings.DEFAULT.withLog(2 << 20, 2 << 20);

  private static final Pattern FILE = Pattern.compile("log_(?:inprogress_)?(\\d+)(?:-\\d+)?");

  interface Notes {
    long add(byte[] note);

    long count();
  }

  record NotesObject(ObjectContext context) implements Notes {
    @Override
    public long add(byte[] note) {
      long count = count() + 1;
      context.storage().put("count", count);
      context.storage().put("note", note);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }
  }

  @TempDir private Path directory;

  private final Map<String, Long> acknowledged = new TreeMap<>();
  private final Random random = new Random(1);

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Notes.class, NotesObject::new);
    objects.namespace(
        "keys",
        Notes.class,
        NotesObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  /** In the nightly run: half a minute, and simulated by seeds in each build (CatchUpTest). */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void nodeThatWasAwayForLongFetchesWhatItLacksThoughItsMajorityWaitsForIt() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, FetchedCopyTest::register, SHORT)) {
      write(nodes, "a", 10);
      nodes.closeNode("c");
      write(nodes, "a", 10);
      // An election begins a new file, so c may have all of the one before: it lacks this one.
      long lacked = Math.max(filesOf("a").getLast(), filesOf("b").getLast());
      while (firstOf("a") <= lacked || firstOf("b") <= lacked) {
        write(nodes, "a", 120_000);
      }

      // Only with c there is a majority again, and the owner of a shard waits for it.
      nodes.closeNode("b");
      nodes.openNode("c");
      nodes.awaitReady();
      write(nodes, "a", 10);
      while (!Files.exists(logOf("c").resolve("fetched"))) {
        Polling.pause();
      }
      for (int shard = 0; shard < 3; shard++) {
        nodes.move(shard, "c");
      }
      nodes.awaitReady();
      check(nodes, "c");
      write(nodes, "c", 10);

      // And the one that was away meanwhile needs no more than the log, or fetches as well.
      nodes.openNode("b");
      nodes.awaitReady();
      nodes.closeNode("a");
      nodes.awaitReady();
      check(nodes, "b");

      // A node that joins has nothing, and the logs do not reach back to their beginning.
      nodes.openFourth();
      ThreeNodes.untilChanged(() -> nodes.get("b").add(nodes.fourth()));
      nodes.awaitReady();
      for (int shard = 0; shard < 3; shard++) {
        nodes.move(shard, "d");
      }
      nodes.awaitReady();
      assertThat(logOf("d").resolve("fetched")).exists();
      check(nodes, "d");
      write(nodes, "d", 10);
    }
  }

  /** One of the first members that comes when the logs do not reach back to their beginning. */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void firstMemberThatComesLateFetchesWhatItLacks() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 3, FetchedCopyTest::register)) {
      nodes.openNode("a", SHORT);
      nodes.openNode("b", SHORT);
      nodes.awaitReady();
      write(nodes, "a", 10);
      while (firstOf("a") <= 0 || firstOf("b") <= 0) {
        write(nodes, "a", 120_000);
      }
      nodes.openNode("c", SHORT);
      nodes.awaitReady();
      while (!Files.exists(logOf("c").resolve("fetched"))) {
        Polling.pause();
      }
      nodes.awaitAllAlike();
      nodes.closeNode("a");
      nodes.awaitReady();
      check(nodes, "c");
      write(nodes, "c", 10);
    }
  }

  private void write(ThreeNodes nodes, String node, int bytes) {
    byte[] note = new byte[bytes];
    random.nextBytes(note);
    for (String namespace : List.of("sql", "keys")) {
      for (int i = 0; i < 3; i++) {
        String name = "n" + i;
        Notes notes = nodes.get(node).namespace(namespace, Notes.class).getByName(name);
        long before = acknowledged.getOrDefault(namespace + name, 0L);
        long count = ThreeNodes.addedOnce(() -> notes.add(note.clone()), notes::count, before);
        assertThat(count).isEqualTo(before + 1);
        acknowledged.put(namespace + name, count);
      }
    }
  }

  private void check(ThreeNodes nodes, String node) {
    acknowledged.forEach(
        (key, count) ->
            assertThat(
                    ThreeNodes.known(
                        nodes
                                .get(node)
                                .namespace(key.substring(0, key.length() - 2), Notes.class)
                                .getByName(key.substring(key.length() - 2))
                            ::count))
                .as(key)
                .isEqualTo(count));
  }

  /** {@return the first entry of a log; 0 if its only file has no name just now} */
  private long firstOf(String node) throws IOException {
    return filesOf(node).stream().findFirst().orElse(0L);
  }

  /** {@return the first entries of the files of a log, in their order} */
  private List<Long> filesOf(String node) throws IOException {
    List<Long> files = new ArrayList<>();
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(logOf(node), "*-*-*-*-*")) {
      for (Path group : groups) {
        try (DirectoryStream<Path> all =
            Files.newDirectoryStream(group.resolve("current"), "log_*")) {
          for (Path each : all) {
            Matcher name = FILE.matcher(String.valueOf(each.getFileName()));
            if (name.matches()) {
              files.add(Long.parseLong(name.group(1)));
            }
          }
        }
      }
    }
    return files.stream().sorted().toList();
  }

  private Path logOf(String node) {
    return directory.resolve(node).resolve("shards/0000/log");
  }
}
