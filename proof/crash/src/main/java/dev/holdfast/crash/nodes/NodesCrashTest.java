package dev.holdfast.crash.nodes;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.nodes.LocalNodes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Disturbs the nodes of a cluster and replaces some while callers call, and checks what callers
 * were answered. The calls, the disturbances and their times are drawn from the seed; the moments
 * at which processes run are not. Owned by one thread.
 */
public final class NodesCrashTest {

  private static final int SHARDS = 4;
  private static final int SHARDS_OF_MANY = 12;

  /** With more nodes, each shard has three copies, and the number of nodes changes. */
  private static final int ALL_KEEP_MAX = 5;

  private static final int COPIES = 3;
  private static final int MANY_MAX = 7;
  private static final int MANY_MIN = 5;
  private static final int READS_AFTER_PAUSE = 8;

  /** Longer than every time-out of a node: all of its connections and calls are given up. */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(90);

  /** A shorter test has no time for it. */
  private static final Duration LONG_PAUSE_FROM = Duration.ofMinutes(5);

  /** Of this number of pauses one is a long one, the first among them. */
  private static final int LONG_PAUSE_EVERY = 8;

  /** Between disturbances; the longer ones let every shard find an owner, and callers call. */
  private static final long CALM_MILLIS_MIN = 300;

  private static final long CALM_MILLIS_MAX = 6_000;

  /**
   * How often killed nodes are ready again before the next disturbance. Otherwise few callers would
   * be answered on a machine on which a node starts slowly: there would be no majority.
   */
  private static final int SETTLED_PERCENT = 75;

  /** Longer than any recovery may take. */
  static final Duration READY_MAX = Duration.ofMinutes(3);

  /** Longer than copies and owners need to be even again. */
  private static final Duration EVEN_MAX = Duration.ofMinutes(6);

  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  static final Duration ANSWERS_MAX = Duration.ofMinutes(2);
  private static final Duration RINGS_MAX = Duration.ofMinutes(1);

  private final Settings settings;
  private final PrintStream out;
  private final SplittableRandom random;
  private final Promises promises = new Promises();
  private final Callers callers;
  private final FailoverChecks failovers;

  /** The members; they change when one is replaced. */
  private final List<String> names = new ArrayList<>();

  private int kills;
  private int restarts;
  private int moves;
  private int movesRefused;
  private int pauses;
  private int partitions;
  private int rolls;
  private int killsOfOwners;
  private int disturbedLinks;
  private int clockJumps;
  private int clocksRefused;
  private int objectsCompared;

  /** Whether a node was killed or closed after the last check of what a failover must keep. */
  private boolean wasKilled;

  private long gapNanos;

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
    for (int index = 0; index < settings.nodes(); index++) {
      names.add(MemberDisturbances.name(index));
    }
    this.callers = new Callers(promises, new CallPlan(random.split(), promises), names);
    this.failovers = new FailoverChecks(promises, random.split());
  }

  /** {@return whether no node keeps all shards} */
  private boolean isMany() {
    return settings.nodes() > ALL_KEEP_MAX;
  }

  private int shards() {
    return isMany() ? SHARDS_OF_MANY : SHARDS;
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
    String replaced = "";
    List<Path> classesFirst = List.of(replacedClasses());
    try (Network network = Network.open(names, settings.directory());
        LocalNodes local =
            LocalNodes.prepare(
                settings.directory(),
                network.addresses(),
                shards(),
                CrashNode.class,
                List.of(),
                name ->
                    new ChildJvm.Own(
                        List.of("-Djdk.net.hosts.file=" + network.hostFile(name)),
                        classesFirst,
                        settings.directory().resolve(name + ".log")))) {
      DrivenNodes nodes = new DrivenNodes(local, names, callers, promises, out);
      MemberDisturbances members =
          new MemberDisturbances(settings.directory(), names, callers, promises, nodes, network);
      try {
        disturb(nodes, network, members);
        finish(nodes, network);
      } catch (RunFailedException e) {
        failure = String.valueOf(e.getMessage());
      }
      replaced =
          isMany()
              ? "%s, %,d rolling restarts".formatted(members.counts(), rolls)
              : "%,d replacements".formatted(members.replacements());
    }
    out.printf(
        "%,d kills (%,d of owners), %,d restarts, %,d moves (%,d refused), %,d pauses, %,d"
            + " partitions, %,d slow or cut links, %,d clocks that were off (%,d refused), %s;"
            + " %,d calls answered, %,d without effect, %,d of unknown outcome; %,d"
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
        replaced,
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

  private void disturb(DrivenNodes nodes, Network network, MemberDisturbances members)
      throws IOException {
    names.forEach(nodes.local()::start);
    nodes.until(READY_MAX, "all nodes are ready", nodes::allAreReady);
    nodes.say("the nodes are ready");
    callers.beginGap();
    long endNanos = System.nanoTime() + settings.duration().toNanos();
    SplittableRandom drawn = random.split();
    while (System.nanoTime() < endNanos && promises.violations().isEmpty()) {
      nodes.work(Duration.ofMillis(drawn.nextLong(CALM_MILLIS_MIN, CALM_MILLIS_MAX)));
      if (drawn.nextInt(100) < SETTLED_PERCENT) {
        nodes.workUntilReady();
      }
      if (wasKilled && nodes.allAreReady() && promises.violations().isEmpty()) {
        checkFailovers(nodes);
      }
      disturb(nodes, network, members, lasting(draw(drawn)));
      gapNanos = Math.max(gapNanos, callers.takeGapNanos());
    }
  }

  private Disturbance draw(SplittableRandom drawn) {
    return isMany()
        ? Disturbance.drawOfMany(drawn, shards(), names.size())
        : Disturbance.draw(drawn, shards(), names.size());
  }

  private Disturbance lasting(Disturbance drawn) {
    boolean isLong =
        drawn.kind() == Disturbance.Kind.PAUSE
            && pauses % LONG_PAUSE_EVERY == 0
            && settings.duration().compareTo(LONG_PAUSE_FROM) >= 0;
    return isLong ? drawn.lasting(LONG_PAUSE) : drawn;
  }

  private void disturb(
      DrivenNodes nodes, Network network, MemberDisturbances members, Disturbance disturbance)
      throws IOException {
    if (changesMembers(disturbance.kind())) {
      // With one lost, all others are needed: of them and the new one a majority must agree.
      nodes.workUntil("all nodes are ready, so that one may be lost", nodes::allAreReady);
    }
    List<String> order = order(nodes, disturbance);
    nodes.say(disturbance.text(order));
    switch (disturbance.kind()) {
      case KILL -> kill(nodes, order.subList(0, 1), disturbance.duration());
      case KILL_TWO -> kill(nodes, order.subList(0, 2), disturbance.duration());
      case REPLACE, JOIN, LEAVE, LOSE_DISK -> change(nodes, members, order, disturbance);
      case ROLL -> roll(nodes, members, disturbance.duration());
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

  private static boolean changesMembers(Disturbance.Kind kind) {
    return switch (kind) {
      case REPLACE, JOIN, LEAVE, LOSE_DISK, ROLL -> true;
      default -> false;
    };
  }

  private void disturb(
      DrivenNodes nodes, Network network, List<String> order, Disturbance disturbance) {
    disturbance.disturb(network, order);
    nodes.work(disturbance.duration());
    network.heal();
  }

  /** {@return the nodes, the owner of the shard first} */
  private List<String> order(DrivenNodes nodes, Disturbance disturbance) {
    String first = ownerOf(nodes, disturbance.shard());
    List<String> rest = new ArrayList<>(names);
    rest.remove(first);
    List<String> order = new ArrayList<>(List.of(first));
    disturbance.others().forEach(place -> order.add(rest.get(place - 1)));
    return order;
  }

  private String ownerOf(DrivenNodes nodes, int shard) {
    nodes.askStatus();
    long newest = -1;
    String owner = names.get(shard % names.size());
    for (String each : nodes.status().values()) {
      String[] words = each.split(" ", -1)[shard].split(":", -1);
      if (Long.parseLong(words[2]) > newest && names.contains(words[1])) {
        newest = Long.parseLong(words[2]);
        owner = words[1];
      }
    }
    return owner;
  }

  private void kill(DrivenNodes nodes, List<String> killed, Duration duration) {
    markDocuments(nodes, killed);
    for (String name : killed) {
      if (nodes.local().running().contains(name)) {
        kills++;
        killsOfOwners += nodes.owns(name) ? 1 : 0;
        nodes.kill(name);
        nodes.ready().remove(name);
        callers.giveUp(name);
      }
    }
    nodes.work(duration);
    killed.forEach(nodes.local()::start);
  }

  /** As an operator does it: the node moves its shards to others while callers call. */
  private void restart(DrivenNodes nodes, String name, Duration duration) {
    if (!nodes.ready().contains(name)) {
      return; // it is being started
    }
    restarts++;
    markDocuments(nodes, List.of(name));
    nodes.ready().remove(name);
    nodes.local().process(name).say("close");
    nodes.workUntil("node " + name + " is closed", () -> !nodes.isOpen(name));
    nodes.kill(name);
    callers.giveUp(name);
    nodes.work(duration);
    nodes.local().start(name);
  }

  /** The other node may be away or behind, and refuse the shard. */
  private void move(DrivenNodes nodes, List<String> order, Disturbance disturbance) {
    String asked = order.get(disturbance.percent() % order.size());
    if (!nodes.ready().contains(asked)) {
      return; // it is being started
    }
    moves++;
    int shard = disturbance.shard();
    String to =
        order.stream()
            .skip(1)
            .filter(each -> isMany() && nodes.keeps(each, shard))
            .findFirst()
            .orElse(order.get(1));
    String answer = nodes.answerTo(asked, "move " + shard + " " + to);
    if (!answer.equals("changed")) {
      movesRefused++;
      nodes.say("the move is " + answer);
    }
    nodes.work(disturbance.duration());
  }

  private void change(
      DrivenNodes nodes, MemberDisturbances members, List<String> order, Disturbance disturbance)
      throws IOException {
    Duration duration = disturbance.duration();
    if (members.isFull()) {
      kill(nodes, order.subList(0, 1), duration);
      return;
    }
    List<String> others = order.subList(1, order.size());
    boolean mayLeave = names.size() > MANY_MIN;
    boolean mayJoin = names.size() < MANY_MAX;
    switch (disturbance.kind()) {
      case LEAVE, JOIN -> {
        if (mayLeave && (disturbance.kind() == Disturbance.Kind.LEAVE || !mayJoin)) {
          markDocuments(nodes, order.subList(0, 1));
          members.leave(order, duration, disturbance.isBroken());
        } else {
          members.join(others);
        }
      }
      case LOSE_DISK -> {
        markDocuments(nodes, order.subList(0, 1));
        members.loseDisk(order, duration);
      }
      default -> {
        markDocuments(nodes, order.subList(0, 1));
        boolean isRemovedFirst = isMany() ? disturbance.isBroken() : settings.nodes() > COPIES;
        members.replace(order, duration, isRemovedFirst);
      }
    }
  }

  /** As an operator installs a version: one node after the other, when it is safe. */
  private void roll(DrivenNodes nodes, MemberDisturbances members, Duration duration) {
    for (String name : List.copyOf(names)) {
      nodes.workUntil("all nodes are ready, so that one may be closed", nodes::allAreReady);
      members.change(List.of(name), "safe");
      members.change(List.of(name), "drain");
      restart(nodes, name, duration);
    }
    rolls++;
  }

  private boolean ownsNothing(DrivenNodes nodes, String name) {
    nodes.askStatus();
    return !nodes.status().isEmpty() && !nodes.owns(name);
  }

  /** Bookmarks from before a failover. Without all nodes there may be no answer soon. */
  private void markDocuments(DrivenNodes nodes, List<String> killed) {
    wasKilled = true;
    if (nodes.allAreReady()) {
      String other =
          names.stream().filter(name -> !killed.contains(name)).findFirst().orElseThrow();
      failovers.mark(asking(nodes, other));
    }
  }

  /** The callers rest meanwhile. */
  private void checkFailovers(DrivenNodes nodes) {
    nodes.until(ANSWERS_MAX, "all calls are answered", () -> callers.underWayCount() == 0);
    failovers.check(asking(nodes, anyNode()));
    wasKilled = false;
  }

  private FailoverChecks.Asking asking(DrivenNodes nodes, String node) {
    return new FailoverChecks.Asking() {
      @Override
      public List<String> askAll(List<Call> calls) {
        return nodes.askAll(node, calls);
      }

      @Override
      public void pause() {
        nodes.receiveFor(ASK_AGAIN);
      }
    };
  }

  /**
   * An hour ahead or behind, and then right again. If nodes meet meanwhile, they refuse each other
   * and say so.
   */
  private void jumpClock(
      DrivenNodes nodes, Network network, List<String> order, Disturbance disturbance) {
    String name = order.getFirst();
    if (!nodes.ready().contains(name)) {
      return; // it is being started
    }
    clockJumps++;
    nodes.local().process(name).say("clock " + disturbance.clockOff().toMillis());
    if (disturbance.isBroken() && nodes.allAreReady()) {
      nodes.askStatus(); // answered after the clock has jumped: nodes must not meet before
      nodes.forgetClocks();
      nodes.workUntil(
          "a node says that the clocks of node " + name + " and of another one differ",
          () -> {
            names.stream()
                .filter(nodes.ready()::contains)
                .forEach(each -> nodes.local().process(each).say("health"));
            if (!nodes.clocksDiffer()) { // calls may have connected the nodes before they met
              order.stream()
                  .skip(1)
                  .forEach(other -> network.breakOff(name, other, Network.Ports.CALLS));
              network.heal();
            }
            return nodes.clocksDiffer();
          });
      clocksRefused += nodes.clocksDiffer() ? 1 : 0;
    }
    nodes.work(disturbance.duration());
    nodes.local().process(name).say("clock 0");
  }

  private void pause(DrivenNodes nodes, String name, Duration duration) {
    if (!nodes.ready().remove(name)) {
      return; // it is being started, and would not answer anyway
    }
    pauses++;
    nodes.local().process(name).pause();
    nodes.work(duration);
    if (duration.equals(LONG_PAUSE)) {
      nodes.workUntil("other nodes own the shards of node " + name, () -> ownsNothing(nodes, name));
    }
    // It will believe that nothing has happened, and that it owns its shards. All the same it must
    // answer nobody by what it has, not even before it hears of another owner: so the calls are
    // there when it wakes up. The histories of the numbers say whether what it reads is new.
    callers.readLines(name, READS_AFTER_PAUSE).forEach(nodes.local().process(name)::say);
    nodes.local().process(name).resume();
    nodes.ready().add(name);
  }

  // ---------------------------------------------------------------- the end

  private void finish(DrivenNodes nodes, Network network) throws IOException {
    network.heal();
    if (!promises.violations().isEmpty()) {
      return;
    }
    nodes.say("the disturbances end");
    nodes.until(READY_MAX, "all nodes are ready", nodes::allAreReady);
    nodes.until(ANSWERS_MAX, "all calls are answered", () -> callers.underWayCount() == 0);
    gapNanos = Math.max(gapNanos, callers.takeGapNanos());
    checkFailovers(nodes);
    checkNumbers(nodes);
    checkLines(nodes);
    checkMoney(nodes);
    checkBells(nodes);
    checkCopies(nodes);
  }

  private void checkNumbers(DrivenNodes nodes) {
    for (String number : promises.numbers()) {
      names.forEach(node -> nodes.ask(node, new Call("read", number, "")));
      promises.check(number);
    }
  }

  private void checkLines(DrivenNodes nodes) {
    for (String lines : promises.linesNames()) {
      String found = nodes.ask(anyNode(), new Call("lines", lines, ""));
      promises.checkLines(lines, found.isEmpty() ? List.of() : List.of(found.split(",", -1)));
    }
  }

  private void checkMoney(DrivenNodes nodes) {
    long sum = 0;
    for (int purse = 0; purse < CallPlan.PURSE_COUNT; purse++) {
      nodes.ask(anyNode(), new Call("settle", CallPlan.purse(purse), ""));
    }
    for (int purse = 0; purse < CallPlan.PURSE_COUNT; purse++) {
      sum += Long.parseLong(nodes.ask(anyNode(), new Call("balance", CallPlan.purse(purse), "")));
    }
    promises.checkMoney(sum, CallPlan.PURSE_COUNT);
  }

  private String anyNode() {
    return names.get(random.nextInt(names.size()));
  }

  /** A bell that was set under a clock that was ahead has its time, which may be after this run. */
  private void checkBells(DrivenNodes nodes) {
    long nowMillis = System.currentTimeMillis();
    long endNanos = System.nanoTime() + RINGS_MAX.toNanos();
    for (String bell : promises.bellsThatMustHaveRung(nowMillis).toList()) {
      while (promises.isSilent(bell)) {
        nodes.ask(anyNode(), new Call("rings", bell, ""));
        if (System.nanoTime() > endNanos && promises.isSilent(bell)) {
          promises.silent(bell);
          break;
        }
      }
    }
  }

  /** When all copies have the same, the nodes are killed: their files must be the same. */
  private void checkCopies(DrivenNodes nodes) throws IOException {
    Map<String, Path> directories = new TreeMap<>();
    names.forEach(name -> directories.put(name, node(name)));
    if (isMany()) {
      awaitEven(nodes, directories);
    } else {
      awaitSame(nodes);
    }
    names.forEach(name -> nodes.local().process(name).kill()); // at once, so that none goes on
    names.forEach(nodes::kill);
    SegmentComparison.differences(directories, shards()).forEach(promises::broken);
    Map<String, Map<String, String>> contents = new TreeMap<>();
    for (Map.Entry<String, Path> each : directories.entrySet()) {
      ContentComparison.Content content = ContentComparison.read(each.getValue());
      contents.put(each.getKey(), content.objects());
      objectsCompared = content.read();
    }
    for (int shard = 0; shard < shards(); shard++) {
      Map<String, Map<String, String>> copies = new TreeMap<>(contents);
      int number = shard;
      copies.keySet().removeIf(node -> !RestingCopies.hasCopy(node(node), number));
      ContentComparison.differences(shard, copies).forEach(promises::broken);
    }
  }

  private Path node(String name) {
    return settings.directory().resolve(name);
  }

  private void awaitEven(DrivenNodes nodes, Map<String, Path> directories) {
    long endNanos = System.nanoTime() + EVEN_MAX.toNanos();
    List<String> differences;
    do {
      nodes.receiveFor(ASK_AGAIN);
      nodes.askStatus();
      differences = RestingCopies.differences(nodes.status(), directories, shards(), COPIES);
    } while (!differences.isEmpty() && System.nanoTime() < endNanos);
    differences.forEach(promises::broken);
    nodes.say("copies and owners are even");
  }

  private void awaitSame(DrivenNodes nodes) {
    String members = names.stream().sorted().collect(Collectors.joining(","));
    nodes.until(
        READY_MAX,
        "all copies have the same, and all nodes know the members",
        () -> {
          nodes.askStatus();
          return nodes.status().values().stream().distinct().count() == 1
              && nodes.status().values().stream().allMatch(each -> each.endsWith(" " + members));
        });
  }
}
