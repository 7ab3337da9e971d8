package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.ledger.Outcome;
import dev.holdfast.nodes.LocalNodes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The demonstration on several nodes: processes run the ledger as one cluster. Midway the owner of
 * the busiest shard is killed, then a node is paused, then all are restarted one after the other,
 * while transfers go on. At the end another node counts the money. Owned by one thread.
 */
final class NodesDemo {

  private static final int SHARDS = 4;
  private static final int CALLER_COUNT = 48;
  private static final int VIOLATIONS_SHOWN = 20;
  private static final Duration PAUSE = Duration.ofSeconds(4);

  /** Far longer than any step may take: nodes that answer nothing for this long hang. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(2);

  private final DemoDirectory directory;
  private final TransferFile file;
  private final PrintStream out;
  private final int count;

  private final Map<Integer, Outcome> answers = new TreeMap<>();
  private final Deque<Integer> waiting = new ArrayDeque<>();

  /** For each transfer that is on its way, when it was given to a node for the first time. */
  private final Map<Integer, Long> begunNanos = new HashMap<>();

  private final Map<String, Set<Integer>> given = new HashMap<>();
  private final Set<String> ready = new HashSet<>();
  private final List<String> broken = new ArrayList<>();
  private String shards = "";
  private String audited = "";
  private boolean settled;
  private int contradictions;
  private long gapNanos;

  NodesDemo(DemoDirectory directory, TransferFile file, PrintStream out) {
    this.directory = directory;
    this.file = file;
    this.out = out;
    this.count = file.transfers().size();
  }

  /**
   * Runs the demonstration.
   *
   * @param nodeCount how many nodes
   * @param seed chooses the moment of the kill
   * @return whether every promise was kept
   */
  boolean run(int nodeCount, long seed) throws IOException {
    return run(nodeCount, seed, List.of(this::killTheBusiest, this::pauseOne, this::restartAll));
  }

  /** {@return whether every promise was kept when this was done to the nodes} */
  boolean run(int nodeCount, long seed, List<Consumer<LocalNodes>> harm) throws IOException {
    for (int index = 0; index < count; index++) {
      waiting.add(index);
    }
    Files.createDirectories(directory.ledger());
    try (LocalNodes nodes =
        LocalNodes.prepare(
            directory.ledger(),
            nodeCount,
            SHARDS,
            LedgerNode.class,
            List.of(file.path().toAbsolutePath().toString()))) {
      start(nodes, new SplittableRandom(seed).nextDouble(0.1, 0.3));
      harm.forEach(each -> each.accept(nodes));
      return finish(nodes);
    }
  }

  private void start(LocalNodes nodes, double share) {
    out.printf(
        "1. %d nodes, one process each, %d shards, %,d transfers between %,d accounts.%n",
        nodes.names().size(), SHARDS, count, file.accounts().size());
    nodes.names().forEach(nodes::start);
    until(nodes, () -> ready.containsAll(nodes.names()));
    showOwners(nodes);
    runTo(nodes, (int) Math.ceil(count * share));
  }

  void killTheBusiest(LocalNodes nodes) {
    String busiest = ownerOfBusiest(nodes);
    long pid = nodes.process(busiest).pid();
    gapNanos = 0;
    nodes.kill(busiest, this::take);
    ready.remove(busiest);
    giveBack(busiest);
    out.printf(
        "2. SIGKILL for node %s (process %d), which owns the busiest shard.%n", busiest, pid);
    runTo(nodes, answers.size() + count / 10);
    showOwners(nodes);
    showGap();
    nodes.start(busiest);
    until(nodes, () -> ready.contains(busiest));
    out.printf("   Node %s is back.%n", busiest);
    runTo(nodes, count / 2);
  }

  private void pauseOne(LocalNodes nodes) {
    String paused = ownerOfBusiest(nodes);
    gapNanos = 0;
    nodes.process(paused).pause();
    out.printf("3. Node %s is paused for %d s (SIGSTOP).%n", paused, PAUSE.toSeconds());
    long begun = System.nanoTime();
    giveBack(paused); // others do its transfers, too
    ready.remove(paused);
    while (System.nanoTime() - begun < PAUSE.toNanos()) {
      pump(nodes);
    }
    nodes.process(paused).resume();
    ready.add(paused);
    runTo(nodes, Math.max(answers.size(), count * 6 / 10));
    showOwners(nodes);
    showGap();
  }

  private void restartAll(LocalNodes nodes) {
    out.println("4. A rolling restart: each node is closed and started again.");
    gapNanos = 0;
    for (String name : nodes.names()) {
      ready.remove(name);
      giveBack(name);
      nodes.process(name).say("close");
      nodes.end(name, this::take);
      nodes.start(name);
      until(nodes, () -> ready.contains(name));
    }
    showOwners(nodes);
    showGap();
  }

  private boolean finish(LocalNodes nodes) throws IOException {
    runTo(nodes, count);
    String other = nodes.names().getLast();
    nodes.process(other).say("settle");
    until(nodes, () -> settled);
    Path list = directory.ledger().resolve("answers.txt");
    List<String> lines = new ArrayList<>();
    answers.forEach((index, outcome) -> lines.add(index + " " + outcome));
    Files.write(list, lines);
    nodes.process(other).say("audit " + list);
    until(nodes, () -> !audited.isEmpty());
    String[] words = audited.split(" ", -1);
    boolean kept = broken.isEmpty() && contradictions == 0 && words[0].equals("0");
    out.printf(
        "5. Node %s has counted: %,d transfers answered, %s between two accounts, all money"
            + " together %s.%n",
        other, answers.size(), words[0], units(Long.parseLong(words[1])));
    broken.stream().limit(VIOLATIONS_SHOWN).forEach(each -> out.println("   BROKEN: " + each));
    if (contradictions > 0) {
      out.printf("   %,d ANSWERS CHANGED when a transfer was repeated.%n", contradictions);
    }
    for (String name : nodes.names()) {
      nodes.process(name).say("close");
      nodes.end(name, this::take);
    }
    out.println(kept ? "All promises were kept." : "PROMISES WERE BROKEN, see above.");
    return kept;
  }

  // ---------------------------------------------------------------- driving

  private void runTo(LocalNodes nodes, int answered) {
    int wanted = Math.min(answered, count);
    until(nodes, () -> answers.size() >= wanted);
  }

  private void until(LocalNodes nodes, BooleanSupplier reached) {
    long silentSince = System.nanoTime();
    int before = answers.size();
    while (!reached.getAsBoolean()) {
      pump(nodes);
      if (answers.size() > before) {
        before = answers.size();
        silentSince = System.nanoTime();
      }
      if (System.nanoTime() - silentSince > SILENCE_MAX.toNanos()) {
        throw new RunFailedException(
            "The nodes have answered nothing for " + SILENCE_MAX + "; shards: " + shards);
      }
    }
  }

  /** Gives transfers to nodes that are ready, and receives answers. */
  private void pump(LocalNodes nodes) {
    List<String> callers = nodes.running().stream().filter(ready::contains).toList();
    for (String name : callers) {
      Set<Integer> mine = given.computeIfAbsent(name, _ -> new HashSet<>());
      while (mine.size() < CALLER_COUNT / callers.size() && !waiting.isEmpty()) {
        int index = waiting.remove();
        if (!answers.containsKey(index)) {
          mine.add(index);
          begunNanos.putIfAbsent(index, System.nanoTime());
          nodes.process(name).say("send " + index);
        }
      }
    }
    nodes.receive(this::take);
    long now = System.nanoTime();
    begunNanos.values().forEach(begun -> gapNanos = Math.max(gapNanos, now - begun));
  }

  /** What a node has not answered is given to another one. */
  private void giveBack(String name) {
    Set<Integer> mine = given.remove(name);
    if (mine != null) {
      mine.forEach(waiting::addFirst);
    }
  }

  private void take(String name, String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case "ready" -> ready.add(name);
      case "answer" -> answered(name, words[1].split(" ", -1));
      case "shards" -> shards = words[1];
      case "settled" -> settled = true;
      case "broken" -> broken.add(words[1]);
      case "audited" -> audited = words[1];
      case "closed" -> {}
      default -> throw new RunFailedException("Node " + name + " said: " + line);
    }
  }

  private void answered(String name, String[] words) {
    int index = Integer.parseInt(words[0]);
    Outcome outcome = Outcome.valueOf(words[1]);
    Outcome before = answers.putIfAbsent(index, outcome);
    if (before != null && before != outcome) {
      contradictions++;
    }
    Set<Integer> mine = given.get(name);
    if (mine != null) {
      mine.remove(index);
    }
    begunNanos.remove(index);
  }

  // ---------------------------------------------------------------- showing

  private String askShards(LocalNodes nodes) {
    shards = "";
    String any = nodes.running().stream().filter(ready::contains).findFirst().orElseThrow();
    nodes.process(any).say("shards");
    until(nodes, () -> !shards.isEmpty());
    return shards;
  }

  private String ownerOfBusiest(LocalNodes nodes) {
    List<String> each = List.of(askShards(nodes).split(" ", -1));
    String busiest =
        each.stream()
            .max(Comparator.comparingLong(shard -> Long.parseLong(shard.split(":", -1)[2])))
            .orElseThrow();
    String owner = busiest.split(":", -1)[1];
    return owner.equals("?") ? nodes.names().getFirst() : owner;
  }

  private void showOwners(LocalNodes nodes) {
    StringBuilder text = new StringBuilder("   Shards:");
    for (String each : askShards(nodes).split(" ", -1)) {
      String[] words = each.split(":", -1);
      text.append(" %s is on %s (%,d),".formatted(words[0], words[1], Long.parseLong(words[2])));
    }
    text.setCharAt(text.length() - 1, '.');
    out.printf("%s %,d of %,d transfers answered.%n", text, answers.size(), count);
  }

  private void showGap() {
    out.printf("   The longest that a caller waited: %.1f s.%n", gapNanos / 1e9);
  }

  private static String units(long cents) {
    return "%,d.%02d".formatted(cents / 100, cents % 100);
  }
}
