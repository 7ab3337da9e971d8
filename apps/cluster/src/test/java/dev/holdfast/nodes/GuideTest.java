package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.Verb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of {@code docs/operations/cluster.md}, with three processes on this machine. */
final class GuideTest {

  private static final Path GUIDE = Path.of("..", "..", "docs", "operations", "cluster.md");
  private static final String COMMAND = "    ./holdfast cluster ";

  @TempDir private Path directory;

  private String[] words(String line) {
    String[] words = line.substring(COMMAND.length()).trim().split(" +", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] =
          words[i]
              .replaceFirst("^data/", directory + "/")
              .replaceFirst("^certificates$", directory + "/certificates-of-the-guide");
    }
    words[0] = line.contains(" certificates ") ? "certificates" : words[0];
    return words;
  }

  @Test
  void commandsOfTheGuideSucceed() throws Exception {
    List<String> commands =
        Files.readAllLines(GUIDE).stream().filter(line -> line.startsWith(COMMAND)).toList();
    assertThat(commands).hasSizeGreaterThanOrEqualTo(5);
    Set<String> ready = new HashSet<>();
    try (LocalNodes nodes = LocalNodes.prepare(directory, 3, 2, GuideNode.class, List.of())) {
      nodes.names().forEach(nodes::start);
      while (ready.size() < 3) {
        nodes.receive(
            (name, line) -> {
              assertThat(line).as("what node %s says", name).isEqualTo("ready");
              ready.add(name);
            });
      }
      for (String command : commands) {
        assertThat(Verb.run(new ClusterCommand(), words(command))).as(command).isZero();
      }
      Path socket = directory.resolve("a").resolve("operator.sock");
      if (Files.exists(socket)) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
            .isEqualTo("rw-------");
      }
      String a = directory.resolve("a").toString();
      assertThat(
              Verb.run(new ClusterCommand(), "transfer", "--data", a, "--shard", "9", "--to", "b"))
          .isEqualTo(2);
      assertThat(
              Verb.run(new ClusterCommand(), "transfer", "--data", a, "--shard", "0", "--to", "x"))
          .isEqualTo(2);
    }
    assertThat(
            Verb.run(new ClusterCommand(), "status", "--data", directory.resolve("a").toString()))
        .as("status of a node that was killed")
        .isEqualTo(1);
  }
}
