package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.launcher.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of {@code docs/operations/cluster.md} that makes a cluster of an archive. */
final class RestoreVerbTest {

  private static final Path GUIDE = Path.of("..", "..", "docs", "operations", "cluster.md");
  private static final String COMMAND = "    ./holdfast cluster ";
  private static final int SHARDS = 6;

  @TempDir private Path directory;

  private static int run(String... words) {
    return Verb.run(new ClusterCommand(), words);
  }

  /** {@return what is printed by a command that succeeds} */
  private static String printed(Callable<Integer> verb, String... words) {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      assertThat(Verb.run(verb, words)).isZero();
    } finally {
      System.setOut(out);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static String[] and(String[] words, String... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray(String[]::new);
  }

  private ClusterRuntime open(String name, int shards, Consumer<ObjectRegistrar> objects)
      throws Exception {
    ClusterRuntime node =
        ClusterHoldfast.open(
            directory.resolve(name),
            ClusterOptions.of("shop")
                .node("a")
                .members("a=127.0.0.1:" + LocalNodes.twoFreePorts())
                .withShards(shards),
            objects);
    assertThat(node.awaitReady(Duration.ofMinutes(2))).isTrue();
    return node;
  }

  @Test
  void clusterIsThereAfterTheCommandOfTheGuide() throws Exception {
    Path place = directory.resolve("archive");
    ArchiveOptions archive = ArchiveOptions.to(new DirectoryArchive(place));
    try (ClusterRuntime lost =
        open(
            "lost",
            SHARDS,
            objects -> {
              GuideNode.register(objects);
              objects.options(RuntimeOptions.DEFAULT.withArchive(archive));
            })) {
      for (int i = 0; i < GuideNode.NOTES; i++) {
        lost.namespace("notes", GuideNode.Note.class).getByName("n" + i).write("here");
      }
    } // the only node archives the rest when it is closed

    List<String> commands =
        Files.readAllLines(GUIDE).stream()
            .filter(
                line ->
                    line.startsWith(COMMAND + "restore --from /mnt/archive/shop --to data/shop"))
            .toList();
    assertThat(commands).hasSize(1);
    String[] words = commands.getFirst().substring(COMMAND.length()).split(" +", -1);
    assertThat(run(words)).as("no archive").isEqualTo(2);
    words[2] = place.toString();
    words[4] = directory.resolve("restored").toString();
    assertThat(run(and(words, "--at", "yesterday"))).as("no time").isEqualTo(2);
    assertThat(run(and(words, "--at", "2020-01-01T00:00:00Z"))).as("before all").isEqualTo(1);
    assertThat(directory.resolve("restored")).doesNotExist();
    String[] wrong = words.clone();
    wrong[2] = "s3://shop/archive";
    assertThat(run(wrong)).as("object storage").isEqualTo(2);
    assertThat(run(words)).isZero();
    assertThat(run(words)).as("not empty").isEqualTo(1);
    checkNotes("restored", SHARDS);

    String[] other = words.clone();
    other[4] = directory.resolve("other").toString();
    other[other.length - 1] = "7";
    assertThat(run(and(other, "--dry-run"))).as("no directory").isEqualTo(2);
    long[] seconds = {0};
    String said =
        printed(
            new ClusterRestoreVerb(() -> 2_500_000_000L * seconds[0]++),
            Arrays.copyOfRange(other, 1, other.length));
    assertThat(said).containsPattern("Restored [0-9]+ MB in 2\\.5 s\\.");
    assertThat(said.substring(0, said.indexOf(" % of ")))
        .as("said before it begins, with another number of shards")
        .contains("texts of bookmarks", "Event.position", "outboxBytesMax");
    checkNotes("other", 7);
  }

  private void checkNotes(String name, int shards) throws Exception {
    try (ClusterRuntime restored = open(name, shards, GuideNode::register)) {
      for (int i = 0; i < GuideNode.NOTES; i++) {
        assertThat(restored.namespace("notes", GuideNode.Note.class).getByName("n" + i).text())
            .isEqualTo("here");
      }
    }
  }
}
