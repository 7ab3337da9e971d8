package dev.holdfast.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.Verb;
import dev.holdfast.nodes.ClusterCommand;
import dev.holdfast.nodes.LocalNodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of {@code docs/operations/cluster.md} that makes a node of a data directory. */
final class AdoptCommandTest {

  private static final Path GUIDE = Path.of("..", "..", "docs", "operations", "cluster.md");
  private static final String COMMAND = "    ./holdfast cluster ";

  /** Keeps a text. */
  public interface Note {

    /** Returns the text. */
    String text();

    /** Keeps another text. */
    void write(String text);
  }

  private record NoteObject(ObjectContext context) implements Note {

    @Override
    public String text() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }
  }

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("notes", Note.class, NoteObject::new);
  }

  private static int run(String... words) {
    return Verb.run(new ClusterCommand(), words);
  }

  @Test
  void directoryIsThatOfANodeAfterTheCommandOfTheGuide() throws Exception {
    List<String> commands =
        Files.readAllLines(GUIDE).stream()
            .filter(line -> line.startsWith(COMMAND + "adopt "))
            .toList();
    assertThat(commands).hasSize(1);
    String[] words = commands.getFirst().substring(COMMAND.length()).split(" +", -1);
    Path data = directory.resolve("shop");
    words[2] = data.toString();
    assertThat(run(words)).as("no directory").isEqualTo(2);
    try (ObjectRuntime runtime = Holdfast.open(data, AdoptCommandTest::register)) {
      runtime.namespace("notes", Note.class).getByName("alone").write("here");
      assertThat(run(words)).as("it is in use").isEqualTo(1);
    }
    assertThat(run(Arrays.copyOf(words, words.length - 1))).as("without --yes").isEqualTo(2);
    assertThat(data.resolve("journal")).isDirectory();
    String[] wrong = words.clone();
    wrong[6] = "nowhere";
    assertThat(run(wrong)).as("no address").isEqualTo(2);
    assertThat(run(words)).isZero();
    assertThat(run(words)).as("again").isZero();
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(
            data,
            ClusterOptions.of("shop")
                .node("a")
                .members("a=127.0.0.1:" + LocalNodes.twoFreePorts())
                .withShards(1),
            AdoptCommandTest::register)) {
      assertThat(runtime.awaitReady(Duration.ofMinutes(2))).isTrue();
      assertThat(runtime.namespace("notes", Note.class).getByName("alone").text())
          .isEqualTo("here");
    }
  }
}
