package dev.holdfast.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.backup.BackupCommand;
import dev.holdfast.operate.inspect.InspectCommand;
import dev.holdfast.operate.verify.VerifyCommand;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of {@code docs/operations/cluster.md} for a node that does not run; {@code
 * GuideTest} runs those of the verb {@code cluster}.
 */
final class StoppedNodePageTest {

  private static final Pattern COMMAND =
      Pattern.compile("(?m)^ {4}\\./holdfast (verify|inspect|backup) (.+)$");

  private static final Map<String, Object> COMMANDS =
      Map.of(
          "verify", new VerifyCommand(),
          "inspect", new InspectCommand(),
          "backup", new BackupCommand());

  @TempDir private Path directory;

  /** An object of the node. */
  interface Note {

    /** Keeps a text. */
    void keep(String text);
  }

  @Test
  void commandsOfThePageSucceedAndRefuseANodeThatRuns() throws Exception {
    List<MatchResult> lines =
        COMMAND
            .matcher(Files.readString(Path.of("../../docs/operations/cluster.md")))
            .results()
            .toList();
    assertThat(lines).extracting(each -> each.group(1)).contains("verify", "inspect", "backup");

    try (ClusterRuntime node = open()) {
      assertThat(node.awaitReady(Duration.ofMinutes(2))).isTrue();
      node.namespace("notes", Note.class).getByName("first").keep("kept");
      for (MatchResult line : lines) {
        assertThat(run(line)).as(line.group() + ", while the node runs").isEqualTo(1);
      }
    }
    for (MatchResult line : lines) {
      assertThat(run(line)).as(line.group()).isZero();
    }
    assertThat(Verb.run(new VerifyCommand(), "--data", place("/mnt/backup/a"), "--deep"))
        .as("verify of the backup")
        .isZero();
  }

  private ClusterRuntime open() throws Exception {
    String address = "127.0.0.1:" + FreePorts.pairs(1).getFirst();
    return ClusterHoldfast.open(
        directory.resolve("data/a"),
        ClusterOptions.of("shop").node("a").members("a=" + address).withShards(2),
        objects ->
            objects.namespace(
                "notes",
                Note.class,
                context -> {
                  ObjectStorage storage = context.storage();
                  return text -> storage.put("text", text);
                }));
  }

  private int run(MatchResult line) {
    List<String> words = new ArrayList<>();
    for (String word : line.group(2).trim().split(" +", -1)) {
      words.add(word.contains("/") ? place(word) : word);
    }
    return Verb.run(COMMANDS.get(line.group(1)), words.toArray(String[]::new));
  }

  private String place(String path) {
    return directory + "/" + path;
  }
}
