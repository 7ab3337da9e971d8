package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.launcher.process.ParentPipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fresh starts of three nodes, as processes that are started at random moments, one of which is
 * killed in the first seconds: all become ready, and no copy of a shard is refused.
 */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class FreshProcessesTest {

  private static final int STARTS = Integer.getInteger("holdfast.test.starts", 200);
  private static final int SHARDS = 6;
  private static final long DELAY_MILLIS_MAX = 3_000;
  private static final long KILL_MILLIS_MAX = 8_000;

  /**
   * Far longer than any machine should need: on one where threads wait for a processor longer than
   * the failover of these nodes, a second, no leader stays. That ends with the load.
   */
  private static final long READY_MILLIS_MAX = 900_000;

  /** Says when it is ready, and has written what it wants; runs until killed. */
  static final class FreshNode {

    private FreshNode() {}

    public static void main(String[] arguments) throws InterruptedException {
      ParentPipe parent = new ParentPipe();
      NodePlace place = NodePlace.ofArguments(arguments);
      try (ClusterRuntime runtime =
          ClusterHoldfast.open(place.directory(), place.options(), GuideNode::register)) {
        parent.listen(_ -> {}); // ends this process with its parent
        boolean isReady = runtime.awaitReady(Duration.ofMillis(READY_MILLIS_MAX));
        for (int i = 0; isReady && i < GuideNode.NOTES; i++) {
          write(runtime, place.name() + i);
        }
        parent.say(isReady ? "ready" : "late: " + runtime.shards());
        new CountDownLatch(1).await();
      }
    }

    private static void write(ClusterRuntime runtime, String name) throws InterruptedException {
      GuideNode.Note note = runtime.namespace("notes", GuideNode.Note.class).getByName(name);
      while (true) {
        try {
          note.write("text");
          return;
        } catch (ObjectUnavailableException | InstanceResetException e) {
          // The owner was killed: the same text again is no harm, once there is another owner.
          runtime.awaitReady(Duration.ofMillis(READY_MILLIS_MAX));
        }
      }
    }
  }

  @TempDir private Path directory;

  /** Something that happens to a node this long after the beginning. */
  private record Step(long millis, String node, boolean isKill) {}

  @Test
  void everyNodeBecomesReadyAndKeepsItsCopies() throws Exception {
    Random seeds = new Random();
    List<String> failures = new ArrayList<>();
    for (int start = 0; start < STARTS; start++) {
      long seed = seeds.nextLong();
      long begunNanos = System.nanoTime();
      Path place = directory.resolve("start-" + start);
      Set<String> wrong = run(place, new Random(seed));
      wrong.addAll(refused(place));
      if (!wrong.isEmpty()) {
        failures.add("start " + start + ", seed " + seed + ": " + wrong);
      }
      long seconds = (System.nanoTime() - begunNanos) / 1_000_000_000;
      System.out.println(
          "start " + start + " of " + STARTS + ", " + seconds + " s, failures: " + failures);
      delete(place);
    }
    assertThat(failures).isEmpty();
  }

  /** {@return what went wrong} */
  private static Set<String> run(Path place, Random random) throws IOException {
    Set<String> wrong = new TreeSet<>();
    try (LocalNodes nodes = LocalNodes.prepare(place, 3, SHARDS, FreshNode.class, List.of())) {
      List<Step> steps = new ArrayList<>();
      nodes
          .names()
          .forEach(node -> steps.add(new Step(millis(random, DELAY_MILLIS_MAX), node, false)));
      String victim = nodes.names().get(random.nextInt(3));
      steps.add(new Step(DELAY_MILLIS_MAX + millis(random, KILL_MILLIS_MAX), victim, true));
      steps.sort((one, other) -> Long.compare(one.millis(), other.millis()));
      Map<String, String> said = new HashMap<>();
      long begunNanos = System.nanoTime();
      while (!steps.isEmpty() || !said.keySet().containsAll(nodes.names())) {
        long elapsedMillis = (System.nanoTime() - begunNanos) / 1_000_000;
        if (elapsedMillis > READY_MILLIS_MAX) {
          nodes.names().stream()
              .filter(node -> !said.containsKey(node))
              .forEach(node -> wrong.add(node + " is not ready"));
          return wrong;
        }
        if (!steps.isEmpty() && steps.getFirst().millis() <= elapsedMillis) {
          Step due = steps.removeFirst();
          if (due.isKill()) {
            nodes.kill(due.node(), (_, _) -> {});
            said.remove(due.node());
          }
          nodes.start(due.node());
        }
        nodes.receive(said::put);
      }
      said.forEach(
          (node, line) -> {
            if (!line.equals("ready")) {
              wrong.add(node + " says " + line);
            }
          });
      return wrong;
    }
  }

  private static long millis(Random random, long max) {
    return random.nextLong(max);
  }

  /** {@return the copies that the nodes would refuse, or have made again} */
  private static List<String> refused(Path place) throws IOException {
    try (Stream<Path> all = Files.walk(place)) {
      return all.filter(
              file ->
                  file.endsWith("log/taken-back")
                      || String.valueOf(file.getFileName()).startsWith("set-aside"))
          .map(file -> place.relativize(file).toString())
          .toList();
    }
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> all = Files.walk(place)) {
      for (Path each : all.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.delete(each);
      }
    }
  }
}
