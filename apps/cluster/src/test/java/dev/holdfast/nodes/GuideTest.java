package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of {@code docs/operations/cluster.md}, with three processes on this machine, and a
 * node that replaces one of them.
 */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class GuideTest {

  private static final Path GUIDE = Path.of("..", "..", "docs", "operations", "cluster.md");
  private static final String COMMAND = "    ./holdfast cluster ";

  /** {@code AdoptCommandTest} runs it. */
  private static final String ADOPT = COMMAND + "adopt ";

  /** {@link RestoreVerbTest} runs it. */
  private static final String RESTORE = COMMAND + "restore ";

  private static final String RECOVER = COMMAND + "recover ";
  private static final String ADD = COMMAND + "add ";
  private static final String REMOVE = COMMAND + "remove ";
  private static final String TRANSFER = COMMAND + "transfer ";
  private static final String DRAIN = COMMAND + "drain ";

  @TempDir private Path directory;

  private String addressOfFourth = "";

  private String[] words(String line) {
    String[] words = line.substring(COMMAND.length()).trim().split(" +", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] =
          words[i]
              .replaceFirst("^data/", directory + "/")
              .replaceFirst("^d=.*", "d=" + addressOfFourth)
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
    Map<String, String> addresses = new TreeMap<>();
    for (String node : List.of("a", "b", "c")) {
      addresses.put(node, "127.0.0.1:" + LocalNodes.twoFreePorts());
    }
    try (LocalNodes nodes =
        LocalNodes.prepare(
            directory, addresses, 2, GuideNode.class, List.of(), _ -> ChildJvm.Own.NOTHING)) {
      Path certificates = directory.resolve("certificates");
      Certificates.write(
          certificates, "local", List.of("a", "b", "c", "d"), Instant.now(), Duration.ofDays(1));
      nodes.names().forEach(nodes::start);
      while (ready.size() < 3) {
        nodes.receive(
            (name, line) -> {
              assertThat(line).as("what node %s says", name).isEqualTo("ready");
              ready.add(name);
            });
      }
      addressOfFourth = "127.0.0.1:" + LocalNodes.twoFreePorts();
      NodePlace fourth =
          new NodePlace(
              "d",
              addressOfFourth,
              directory.resolve("d"),
              certificates,
              2,
              addresses.entrySet().stream()
                  .map(each -> each.getKey() + "=" + each.getValue())
                  .toList());
      try (ClusterRuntime d =
          ClusterHoldfast.open(fourth.directory(), fourth.options(), GuideNode::register)) {
        for (String command : commands) {
          if (!command.startsWith(RECOVER)
              && !command.startsWith(ADOPT)
              && !command.startsWith(RESTORE)) {
            assertSucceeds(command, d);
          }
        }
        while (!d.members().equals(List.of("a", "b", "d"))) { // it hears of it from the logs
          Thread.onSpinWait();
        }
        assertThat(Verb.run(new ClusterCommand(), words(REMOVE + "--data data/a --node c")))
            .as("remove of a node that is no member")
            .isEqualTo(1);
        assertThat(Verb.run(new ClusterCommand(), words(ADD + "--data data/a --member e")))
            .as("add without an address")
            .isEqualTo(2);
      }
      Path socket = directory.resolve("a").resolve("operator.sock");
      if (Files.exists(socket)) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
            .isEqualTo("rw-------");
      }
      String a = directory.resolve("a").toString();
      assertThat(Verb.run(new ClusterCommand(), "recover", "--data", a, "--yes"))
          .as("recover while the node runs")
          .isEqualTo(1);
      assertThat(
              Verb.run(new ClusterCommand(), "transfer", "--data", a, "--shard", "9", "--to", "b"))
          .isEqualTo(2);
      assertThat(
              Verb.run(new ClusterCommand(), "transfer", "--data", a, "--shard", "0", "--to", "x"))
          .isEqualTo(2);
      for (String shard : List.of("0", "1")) {
        // A node that has taken a shard has all that was acknowledged before.
        String[] words = {"transfer", "--data", a, "--shard", shard, "--to", "a"};
        while (Verb.run(new ClusterCommand(), words) != 0) {
          // On a busy machine the node may not take it in time; the message says to repeat it.
        }
      }
      nodes.names().forEach(name -> nodes.kill(name, (_, _) -> {}));
    }
    assertThat(
            Verb.run(new ClusterCommand(), "status", "--data", directory.resolve("a").toString()))
        .as("status of a node that was killed")
        .isEqualTo(1);
    recoverTheLastNode(commands.stream().filter(each -> each.startsWith(RECOVER)).toList());
  }

  /**
   * On a busy machine, a change of members may be given up by the log, and a move by the node that
   * is to take the shard: both say to repeat them.
   */
  private void assertSucceeds(String command, ClusterRuntime added) throws InterruptedException {
    int code = Verb.run(new ClusterCommand(), words(command));
    while (code == 1
        && (command.startsWith(TRANSFER)
            || command.startsWith(DRAIN)
            || command.startsWith(ADD) && !added.awaitReady(Duration.ZERO)
            || command.startsWith(REMOVE) && added.members().contains("c"))) {
      code = Verb.run(new ClusterCommand(), words(command));
    }
    boolean isChange = command.startsWith(ADD) || command.startsWith(REMOVE);
    assertThat(code).as(command).isLessThanOrEqualTo(isChange ? 1 : 0);
  }

  /** All were killed, and b and c are lost. */
  private void recoverTheLastNode(List<String> commands) throws Exception {
    Path a = directory.resolve("a");
    assertThat(Verb.run(new ClusterCommand(), "recover", "--data", a.toString())).isEqualTo(2);
    assertThat(
            Verb.run(
                new ClusterCommand(),
                "recover",
                "--data",
                directory.resolve("certificates").toString(),
                "--yes"))
        .as("recover of what is no directory of a node")
        .isEqualTo(1);
    assertThat(commands).hasSize(1);
    assertThat(Verb.run(new ClusterCommand(), words(commands.getFirst()))).isZero();

    String address = "127.0.0.1:" + LocalNodes.twoFreePorts();
    NodePlace alone =
        new NodePlace(
            "a", address, a, directory.resolve("certificates"), 2, List.of("a=" + address));
    try (ClusterRuntime runtime = ClusterHoldfast.open(a, alone.options(), GuideNode::register)) {
      assertThat(runtime.awaitReady(Duration.ofMinutes(2))).isTrue();
      for (String node : List.of("a", "b", "c")) {
        for (int i = 0; i < GuideNode.NOTES; i++) {
          assertThat(runtime.namespace("notes", GuideNode.Note.class).getByName(node + i).text())
              .isEqualTo(node);
        }
      }
    }
  }
}
