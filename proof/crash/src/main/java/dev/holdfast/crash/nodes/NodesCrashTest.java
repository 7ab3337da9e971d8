package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Call.Outcome;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.nodes.LocalNodes;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Disturbs the nodes of a cluster and replaces some while callers call, and checks what callers
 * were answered. The calls, the disturbances and their times are drawn from the seed; the moments
 * at which processes run are not. Owned by one thread.
 */
public final class NodesCrashTest {

  private static final int SHARDS = 4;
  private static final int READS_AFTER_PAUSE = 8;

  /** Longer than every time-out of a node: all of its connections and calls are given up. */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(90);

  /** A shorter test has no time for it. */
  private static final Duration LONG_PAUSE_FROM = Duration.ofMinutes(5);

  /** Of this number of pauses one is a long one, the first among them. */
  private static final int LONG_PAUSE_EVERY = 8;

  /** What nodes whose clocks differ say of each other. */
  private static final String CLOCKS_DIFFER = "The clock of node ";

  /** Between disturbances; the longer ones let every shard find an owner, and callers call. */
  private static final long CALM_MILLIS_MIN = 300;

  private static final long CALM_MILLIS_MAX = 6_000;

  /**
   * How often killed nodes are ready again before the next disturbance. Otherwise few callers would
   * be answered on a machine on which a node starts slowly: there would be no majority.
   */
  private static final int SETTLED_PERCENT = 75;

  private static final Duration SETTLED_STEP = Duration.ofMillis(200);
  private static final Duration SETTLED_MAX = Duration.ofSeconds(30);

  /** Between two tries to change the members. */
  private static final Duration CHANGE_PAUSE = Duration.ofSeconds(1);

  /** The highest number of members that the option takes. */
  private static final int MEMBERS_MAX = 5;

  private static final int LETTERS = 26;

  /** Longer than any recovery may take. */
  private static final Duration READY_MAX = Duration.ofMinutes(3);

  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final Duration ANSWERS_MAX = Duration.ofMinutes(2);
  private static final Duration STATUS_MAX = Duration.ofSeconds(5);
  private static final Duration RINGS_MAX = Duration.ofMinutes(1);

  private final Settings settings;
  private final PrintStream out;
  private final SplittableRandom random;
  private final Promises promises = new Promises();
  private final Callers callers;
  private final FailoverChecks failovers;

  /** The members; they change when one is replaced. */
  private final List<String> names = new ArrayList<>();

  private final Set<String> open = new HashSet<>();
  private final Set<String> ready = new HashSet<>();
  private final Set<String> paused = new HashSet<>();

  /** What nodes said last about their shards. */
  private final Map<String, String> status = new HashMap<>();

  private final long begunNanos = System.nanoTime();
  private int kills;
  private int restarts;
  private int moves;
  private int movesRefused;
  private int pauses;
  private int partitions;
  private int replacements;
  private int killsOfOwners;
  private int disturbedLinks;
  private int clockJumps;
  private int clocksRefused;
  private int objectsCompared;

  /** Whether a node was killed or closed after the last check of what a failover must keep. */
  private boolean wasKilled;

  /** How many names were given to nodes: the name of one that was removed never comes back. */
  private int namesGiven;

  /** What a node has said about a change of members or owners; null until it does. */
  private @Nullable String changeAnswer;

  /** Whether a node has said that the clock of another one is off. */
  private boolean clocksDiffer;

  private long gapNanos;

  /** The calls of {@link #askAll} that have ended. */
  private final Map<Call, Callers.Ended> asked = new HashMap<>();

  /**
   * The settings of a test.
   *
   * @param directory gets the directories of the nodes; the caller deletes it
   * @param nodes how many
   * @param seed the seed
   * @param duration how long the nodes are disturbed
   * @param fault the name of a fault to be planted; null for none
   */
  public record Settings(
      Path directory, int nodes, long seed, Duration duration, @Nullable String fault) {}

  /**
   * What a test has found.
   *
   * @param violations the promises that were broken
   * @param failure why the test has not come to its end, which says nothing about the promises;
   *     null if it has
   */
  public record Result(List<String> violations, @Nullable String failure) {

    /** Copies the list. */
    public Result {
      violations = List.copyOf(violations);
    }

    /** {@return whether all was checked, and all promises were kept} */
    public boolean isKept() {
      return violations.isEmpty() && failure == null;
    }
  }

  /**
   * Prepares a test.
   *
   * @param settings the settings
   * @param out receives progress
   */
  public NodesCrashTest(Settings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    this.random = new SplittableRandom(settings.seed());
    while (namesGiven < settings.nodes()) {
      names.add(nextName());
    }
    this.callers = new Callers(promises, new CallPlan(random.split(), promises), names);
    this.failovers = new FailoverChecks(promises, random.split());
  }

  /** {@return a, b and so on, then a1, b1 and so on} */
  private String nextName() {
    String letter = String.valueOf((char) ('a' + namesGiven % LETTERS));
    int round = namesGiven / LETTERS;
    namesGiven++;
    return round == 0 ? letter : letter + round;
  }

  /** {@return the names of the faults that can be planted} */
  public static List<String> faults() {
    return Arrays.stream(PlantedFault.values()).map(PlantedFault::optionName).toList();
  }

  private Path replacedClasses() throws IOException {
    Path classes = Files.createDirectories(settings.directory().resolve("replaced"));
    CrashClock.planted().write(classes);
    String fault = settings.fault();
    if (fault != null) {
      PlantedFault.ofOption(fault).planted().write(classes);
    }
    return classes;
  }

  /**
   * Runs the test.
   *
   * @return what was found
   * @throws IOException if the processes or their files cannot be made
   */
  public Result run() throws IOException {
    String failure = null;
    List<Path> classesFirst = List.of(replacedClasses());
    try (Network network = Network.open(names, settings.directory());
        LocalNodes nodes =
            LocalNodes.prepare(
                settings.directory(),
                network.addresses(),
                SHARDS,
                CrashNode.class,
                List.of(),
                name ->
                    new ChildJvm.Own(
                        List.of("-Djdk.net.hosts.file=" + network.hostFile(name)),
                        classesFirst,
                        settings.directory().resolve(name + ".log")))) {
      try {
        disturb(nodes, network);
        finish(nodes, network);
      } catch (RunFailedException e) {
        failure = String.valueOf(e.getMessage());
      }
    }
    out.printf(
        "%,d kills (%,d of owners), %,d restarts, %,d moves (%,d refused), %,d pauses, %,d"
            + " partitions, %,d slow or cut links, %,d clocks that were off (%,d refused), %,d"
            + " replacements; %,d calls answered, %,d without effect, %,d of unknown outcome; %,d"
            + " numbers, %,d lines and %,d bells checked, %,d documents restored, the money counted"
            + " %,d times, %,d objects compared; the longest without an answer: %.1f s%n",
        kills,
        killsOfOwners,
        restarts,
        moves,
        movesRefused,
        pauses,
        partitions,
        disturbedLinks,
        clockJumps,
        clocksRefused,
        replacements,
        callers.answered(),
        callers.noneCount(),
        callers.unknownCount(),
        promises.numbersChecked(),
        promises.linesCount(),
        promises.bellsRung(),
        failovers.restores(),
        failovers.sums(),
        objectsCompared,
        gapNanos / 1e9);
    return new Result(promises.violations(), failure);
  }

  // ---------------------------------------------------------------- disturbing

  private void disturb(LocalNodes nodes, Network network) throws IOException {
    names.forEach(nodes::start);
    until(nodes, READY_MAX, "all nodes are ready", this::allAreReady);
    say("the nodes are ready");
    callers.beginGap();
    long endNanos = System.nanoTime() + settings.duration().toNanos();
    SplittableRandom drawn = random.split();
    while (System.nanoTime() < endNanos && promises.violations().isEmpty()) {
      work(nodes, Duration.ofMillis(drawn.nextLong(CALM_MILLIS_MIN, CALM_MILLIS_MAX)));
      if (drawn.nextInt(100) < SETTLED_PERCENT) {
        workUntilReady(nodes);
      }
      if (wasKilled && allAreReady() && promises.violations().isEmpty()) {
        checkFailovers(nodes);
      }
      disturb(nodes, network, lasting(Disturbance.draw(drawn, SHARDS, names.size())));
      gapNanos = Math.max(gapNanos, callers.takeGapNanos());
    }
  }

  private Disturbance lasting(Disturbance drawn) {
    boolean isLong =
        drawn.kind() == Disturbance.Kind.PAUSE
            && pauses % LONG_PAUSE_EVERY == 0
            && settings.duration().compareTo(LONG_PAUSE_FROM) >= 0;
    return isLong ? drawn.lasting(LONG_PAUSE) : drawn;
  }

  private void disturb(LocalNodes nodes, Network network, Disturbance disturbance)
      throws IOException {
    if (disturbance.kind() == Disturbance.Kind.REPLACE) {
      // With one lost, all others are needed: of them and the new one a majority must agree.
      workUntil(nodes, "all nodes are ready, so that one may be lost", this::allAreReady);
    }
    List<String> order = order(nodes, disturbance);
    say(disturbance.text(order));
    switch (disturbance.kind()) {
      case KILL -> kill(nodes, order.subList(0, 1), disturbance.duration());
      case KILL_TWO -> kill(nodes, order.subList(0, 2), disturbance.duration());
      case REPLACE -> replace(nodes, network, order, disturbance.duration());
      case RESTART -> restart(nodes, order.getFirst(), disturbance.duration());
      case MOVE -> move(nodes, order, disturbance);
      case PAUSE -> pause(nodes, order.getFirst(), disturbance.duration());
      case CLOCK -> jumpClock(nodes, network, order, disturbance);
      case ONE_WAY, ALONE, DEAF, MUTE, BRIDGE -> {
        partitions++;
        disturb(nodes, network, order, disturbance);
      }
      case SLOW, SLOW_ONE_WAY, CUT -> {
        disturbedLinks++;
        disturb(nodes, network, order, disturbance);
      }
    }
  }

  private void disturb(
      LocalNodes nodes, Network network, List<String> order, Disturbance disturbance) {
    disturbance.disturb(network, order);
    work(nodes, disturbance.duration());
    network.heal();
  }

  /** {@return the nodes, the owner of the shard first} */
  private List<String> order(LocalNodes nodes, Disturbance disturbance) {
    String first = ownerOf(nodes, disturbance.shard());
    List<String> rest = new ArrayList<>(names);
    rest.remove(first);
    List<String> order = new ArrayList<>(List.of(first));
    disturbance.others().forEach(place -> order.add(rest.get(place - 1)));
    return order;
  }

  private String ownerOf(LocalNodes nodes, int shard) {
    askStatus(nodes);
    long newest = -1;
    String owner = names.get(shard % names.size());
    for (String each : status.values()) {
      String[] words = each.split(" ", -1)[shard].split(":", -1);
      if (Long.parseLong(words[2]) > newest && names.contains(words[1])) {
        newest = Long.parseLong(words[2]);
        owner = words[1];
      }
    }
    return owner;
  }

  private void kill(LocalNodes nodes, List<String> killed, Duration duration) {
    markDocuments(nodes, killed);
    for (String name : killed) {
      if (nodes.running().contains(name)) {
        kills++;
        killsOfOwners += owns(name) ? 1 : 0;
        nodes.kill(name, this::take);
        ready.remove(name);
        callers.giveUp(name);
      }
    }
    work(nodes, duration);
    killed.forEach(nodes::start);
  }

  /** As an operator does it: the node moves its shards to others while callers call. */
  private void restart(LocalNodes nodes, String name, Duration duration) {
    if (!ready.contains(name)) {
      return; // it is being started
    }
    restarts++;
    markDocuments(nodes, List.of(name));
    ready.remove(name);
    nodes.process(name).say("close");
    workUntil(nodes, "node " + name + " is closed", () -> !open.contains(name));
    nodes.kill(name, this::take);
    callers.giveUp(name);
    work(nodes, duration);
    nodes.start(name);
  }

  /** The other node may be away or behind, and refuse the shard. */
  private void move(LocalNodes nodes, List<String> order, Disturbance disturbance) {
    String asked = order.get(disturbance.percent() % order.size());
    if (!ready.contains(asked)) {
      return; // it is being started
    }
    moves++;
    String answer = answerTo(nodes, asked, "move " + disturbance.shard() + " " + order.get(1));
    if (!answer.equals("changed")) {
      movesRefused++;
      say("the move is " + answer);
    }
    work(nodes, disturbance.duration());
  }

  /** Its machine is lost, with its disk. Another one takes its place, while callers call. */
  private void replace(LocalNodes nodes, Network network, List<String> order, Duration duration)
      throws IOException {
    if (namesGiven == Network.NODES_MAX) {
      kill(nodes, order.subList(0, 1), duration);
      return;
    }
    String lost = order.getFirst();
    List<String> asked = order.subList(1, order.size());
    markDocuments(nodes, List.of(lost));
    long begun = System.nanoTime();
    nodes.kill(lost, this::take);
    names.remove(lost);
    ready.remove(lost);
    callers.giveUp(lost);
    network.leave(lost);
    FileTree.delete(new FileDisk(), settings.directory().resolve(lost));
    work(nodes, duration);

    String added = nextName();
    network.join(added);
    String member = nodes.prepareWaiting(added, Network.address(added));
    nodes.start(added);
    callers.join(added);
    workUntil(nodes, "node " + added + " is open", () -> open.contains(added));
    // Three members are the fewest that a cluster may have.
    List<String> changes =
        names.size() < MEMBERS_MAX - 1
            ? List.of("add " + member, "remove " + lost)
            : List.of("remove " + lost, "add " + member);
    changes.forEach(change -> change(nodes, asked, change));
    if (!promises.violations().isEmpty()) {
      return;
    }
    nodes.forget(lost);
    names.add(added);
    replacements++;
    say(
        "node %s has replaced node %s, after %.1f s"
            .formatted(added, lost, (System.nanoTime() - begun) / 1e9));
  }

  /**
   * While a shard has no owner, a change fails; all that it has done is kept when it is repeated.
   */
  private void change(LocalNodes nodes, List<String> asked, String change) {
    long endNanos = System.nanoTime() + READY_MAX.toNanos();
    for (int tries = 0; promises.violations().isEmpty(); tries++) {
      String answer = answerTo(nodes, asked.get(tries % asked.size()), change);
      if (answer.equals("changed")) {
        return;
      }
      say(change + " is " + answer);
      if (System.nanoTime() > endNanos) {
        throw new RunFailedException(
            "It was tried for %s to %s; at last it was %s".formatted(READY_MAX, change, answer));
      }
      work(nodes, CHANGE_PAUSE);
    }
  }

  /** {@return what a node says about a change of members or owners, while callers call} */
  private String answerTo(LocalNodes nodes, String asked, String change) {
    changeAnswer = null;
    nodes.process(asked).say(change);
    workUntil(nodes, change + " is answered", () -> changeAnswer != null);
    return String.valueOf(changeAnswer);
  }

  private boolean ownsNothing(LocalNodes nodes, String name) {
    askStatus(nodes);
    return !status.isEmpty() && !owns(name);
  }

  private boolean owns(String name) {
    return status.values().stream().anyMatch(each -> each.contains(":" + name + ":"));
  }

  /** Bookmarks from before a failover. Without all nodes there may be no answer soon. */
  private void markDocuments(LocalNodes nodes, List<String> killed) {
    wasKilled = true;
    if (allAreReady()) {
      String other =
          names.stream().filter(name -> !killed.contains(name)).findFirst().orElseThrow();
      failovers.mark(asking(nodes, other));
    }
  }

  /** The callers rest meanwhile. */
  private void checkFailovers(LocalNodes nodes) {
    until(nodes, ANSWERS_MAX, "all calls are answered", () -> callers.underWayCount() == 0);
    failovers.check(asking(nodes, anyNode()));
    wasKilled = false;
  }

  private FailoverChecks.Asking asking(LocalNodes nodes, String node) {
    return new FailoverChecks.Asking() {
      @Override
      public List<String> askAll(List<Call> calls) {
        return NodesCrashTest.this.askAll(nodes, node, calls);
      }

      @Override
      public void pause() {
        receiveFor(nodes, ASK_AGAIN);
      }
    };
  }

  /**
   * An hour ahead or behind, and then right again. If nodes meet meanwhile, they refuse each other
   * and say so.
   */
  private void jumpClock(
      LocalNodes nodes, Network network, List<String> order, Disturbance disturbance) {
    String name = order.getFirst();
    if (!ready.contains(name)) {
      return; // it is being started
    }
    clockJumps++;
    nodes.process(name).say("clock " + disturbance.clockOff().toMillis());
    if (disturbance.isBroken() && allAreReady()) {
      askStatus(nodes); // answered after the clock has jumped: nodes must not meet before
      clocksDiffer = false;
      workUntil(
          nodes,
          "a node says that the clocks of node " + name + " and of another one differ",
          () -> {
            names.stream()
                .filter(ready::contains)
                .forEach(each -> nodes.process(each).say("health"));
            if (!clocksDiffer) { // calls may have connected the nodes before they met
              order.stream()
                  .skip(1)
                  .forEach(other -> network.breakOff(name, other, Network.Ports.CALLS));
              network.heal();
            }
            return clocksDiffer;
          });
      clocksRefused += clocksDiffer ? 1 : 0;
    }
    work(nodes, disturbance.duration());
    nodes.process(name).say("clock 0");
  }

  private void pause(LocalNodes nodes, String name, Duration duration) {
    if (!ready.remove(name)) {
      return; // it is being started, and would not answer anyway
    }
    pauses++;
    paused.add(name);
    nodes.process(name).pause();
    work(nodes, duration);
    if (duration.equals(LONG_PAUSE)) {
      workUntil(
          nodes, "other nodes own the shards of node " + name, () -> ownsNothing(nodes, name));
    }
    // It will believe that nothing has happened, and that it owns its shards. All the same it must
    // answer nobody by what it has, not even before it hears of another owner: so the calls are
    // there when it wakes up. The histories of the numbers say whether what it reads is new.
    callers.readLines(name, READS_AFTER_PAUSE).forEach(nodes.process(name)::say);
    nodes.process(name).resume();
    paused.remove(name);
    ready.add(name);
  }

  // ---------------------------------------------------------------- the end

  private void finish(LocalNodes nodes, Network network) throws IOException {
    network.heal();
    if (!promises.violations().isEmpty()) {
      return;
    }
    say("the disturbances end");
    until(nodes, READY_MAX, "all nodes are ready", this::allAreReady);
    until(nodes, ANSWERS_MAX, "all calls are answered", () -> callers.underWayCount() == 0);
    gapNanos = Math.max(gapNanos, callers.takeGapNanos());
    checkFailovers(nodes);
    checkNumbers(nodes);
    checkLines(nodes);
    checkMoney(nodes);
    checkBells(nodes);
    checkCopies(nodes);
  }

  private void checkNumbers(LocalNodes nodes) {
    for (String number : promises.numbers()) {
      names.forEach(node -> ask(nodes, node, new Call("read", number, "")));
      promises.check(number);
    }
  }

  private void checkLines(LocalNodes nodes) {
    for (String lines : promises.linesNames()) {
      String found = ask(nodes, anyNode(), new Call("lines", lines, ""));
      promises.checkLines(lines, found.isEmpty() ? List.of() : List.of(found.split(",", -1)));
    }
  }

  private void checkMoney(LocalNodes nodes) {
    long sum = 0;
    for (int purse = 0; purse < CallPlan.PURSE_COUNT; purse++) {
      ask(nodes, anyNode(), new Call("settle", CallPlan.purse(purse), ""));
    }
    for (int purse = 0; purse < CallPlan.PURSE_COUNT; purse++) {
      sum += Long.parseLong(ask(nodes, anyNode(), new Call("balance", CallPlan.purse(purse), "")));
    }
    promises.checkMoney(sum, CallPlan.PURSE_COUNT);
  }

  private String anyNode() {
    return names.get(random.nextInt(names.size()));
  }

  private void checkBells(LocalNodes nodes) {
    long endNanos = System.nanoTime() + RINGS_MAX.toNanos();
    for (String bell : promises.bellsThatMustRing()) {
      while (promises.bellsThatMustRing().contains(bell)) {
        ask(nodes, anyNode(), new Call("rings", bell, ""));
        if (System.nanoTime() > endNanos && promises.bellsThatMustRing().contains(bell)) {
          promises.silent(bell);
          break;
        }
      }
    }
  }

  /** When all copies have the same, the nodes are killed: their files must be the same. */
  private void checkCopies(LocalNodes nodes) throws IOException {
    String members = names.stream().sorted().collect(Collectors.joining(","));
    until(
        nodes,
        READY_MAX,
        "all copies have the same, and all nodes know the members",
        () -> {
          askStatus(nodes);
          return status.values().stream().distinct().count() == 1
              && status.values().stream().allMatch(each -> each.endsWith(" " + members));
        });
    Map<String, Path> directories = new TreeMap<>();
    names.forEach(name -> nodes.process(name).kill()); // at once, so that none goes on
    for (String name : names) {
      nodes.kill(name, this::take);
      directories.put(name, settings.directory().resolve(name));
    }
    SegmentComparison.differences(directories, SHARDS).forEach(promises::broken);
    Map<String, Map<String, String>> contents = new TreeMap<>();
    for (Map.Entry<String, Path> each : directories.entrySet()) {
      ContentComparison.Content content = ContentComparison.read(each.getValue());
      contents.put(each.getKey(), content.objects());
      objectsCompared = content.read();
    }
    ContentComparison.differences(contents).forEach(promises::broken);
  }

  /** {@return the answer of a call that is repeated until it is answered} */
  private String ask(LocalNodes nodes, String node, Call call) {
    return askAll(nodes, node, List.of(call)).getFirst();
  }

  /** {@return the answers of calls, each repeated until it is answered} */
  private List<String> askAll(LocalNodes nodes, String node, List<Call> calls) {
    long endNanos = System.nanoTime() + ANSWERS_MAX.toNanos();
    Map<Call, String> answers = new HashMap<>();
    while (System.nanoTime() < endNanos) {
      List<Call> left = calls.stream().filter(call -> !answers.containsKey(call)).toList();
      if (left.isEmpty()) {
        return calls.stream().map(call -> answers.getOrDefault(call, "")).toList();
      }
      asked.clear();
      left.forEach(call -> nodes.process(node).say(callers.beginAlone(call, node)));
      until(nodes, ANSWERS_MAX, left + " are answered", () -> asked.keySet().containsAll(left));
      asked.forEach(
          (call, ended) -> {
            if (ended.outcome() == Outcome.ANSWERED) {
              answers.put(call, ended.result());
            }
          });
    }
    throw new RunFailedException(
        calls + " were not answered by node " + node + ", but " + answers.keySet());
  }

  // ---------------------------------------------------------------- driving

  private void work(LocalNodes nodes, Duration duration) {
    long endNanos = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < endNanos && promises.violations().isEmpty()) {
      for (String name : List.copyOf(ready)) {
        callers.nextLines(name).forEach(nodes.process(name)::say);
      }
      nodes.receive(this::take);
    }
  }

  private void workUntilReady(LocalNodes nodes) {
    long endNanos = System.nanoTime() + SETTLED_MAX.toNanos();
    while (!allAreReady() && System.nanoTime() < endNanos) {
      work(nodes, SETTLED_STEP);
      if (!promises.violations().isEmpty()) {
        return;
      }
    }
  }

  private boolean allAreReady() {
    return ready.size() == names.size();
  }

  /** Callers call meanwhile. Returns also when a promise is broken. */
  private void workUntil(LocalNodes nodes, String what, BooleanSupplier reached) {
    long endNanos = System.nanoTime() + READY_MAX.toNanos();
    while (!reached.getAsBoolean() && promises.violations().isEmpty()) {
      work(nodes, SETTLED_STEP);
      if (System.nanoTime() > endNanos && !reached.getAsBoolean()) {
        throw notReached(nodes, READY_MAX, what);
      }
    }
  }

  private void until(LocalNodes nodes, Duration max, String what, BooleanSupplier reached) {
    long endNanos = System.nanoTime() + max.toNanos();
    while (!reached.getAsBoolean()) {
      nodes.receive(this::take);
      if (System.nanoTime() > endNanos) {
        throw notReached(nodes, max, what);
      }
    }
  }

  private void receiveFor(LocalNodes nodes, Duration duration) {
    long endNanos = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < endNanos) {
      nodes.receive(this::take);
    }
  }

  private RunFailedException notReached(LocalNodes nodes, Duration max, String what) {
    nodes.running().forEach(name -> nodes.process(name).say("status"));
    receiveFor(nodes, STATUS_MAX);
    return new RunFailedException(
        "It is not so after %s that %s: ready %s, status %s, under way %s"
            .formatted(max, what, ready, status, callers.underWayTexts()));
  }

  private void askStatus(LocalNodes nodes) {
    status.clear();
    List<String> asked = names.stream().filter(ready::contains).toList();
    asked.forEach(name -> nodes.process(name).say("status"));
    until(nodes, ANSWERS_MAX, "nodes say their status", () -> status.keySet().containsAll(asked));
  }

  private void take(String name, String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "open" -> open.add(name);
      case "closed" -> open.remove(name);
      case "ready" -> ready.add(name);
      case "changed", "refused" -> changeAnswer = line;
      case "ok", "none", "unknown" -> {
        Callers.Ended ended = callers.take(words);
        if (ended != null) {
          asked.put(ended.call(), ended);
        }
      }
      case "wrong" -> {
        promises.broken("node " + name + " answered a call with " + words[2]);
        callers.take(words);
      }
      case "health" -> clocksDiffer |= line.contains(CLOCKS_DIFFER);
      case "status" -> status.put(name, line.substring("status ".length()));
      case "stopped" -> throw new RunFailedException("Node " + name + " has " + line);
      default -> throw new RunFailedException("Node " + name + " said: " + line);
    }
  }

  private void say(String what) {
    out.printf(
        "%8.1f s, %,d answered: %s%n",
        (System.nanoTime() - begunNanos) / 1e9, callers.answered(), what);
  }
}
