package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Network.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;

/**
 * What happens to the nodes, and for how long. Drawn from a seed; the nodes are those at the places
 * of a list in which the owner of a shard, also drawn, is the first.
 *
 * @param kind what happens
 * @param shard the owner of this shard is the first node
 * @param others the order of the other nodes
 * @param ports which ports a partition concerns
 * @param isBroken whether a partition breaks connections; else it holds their bytes back. Whether
 *     nodes meet again while the clock of one is wrong. Whether a node that leaves is lost before
 * @param percent how much, of what there can be more or less of. Which node is asked for a move
 * @param duration how long it lasts
 */
record Disturbance(
    Kind kind,
    int shard,
    List<Integer> others,
    Ports ports,
    boolean isBroken,
    int percent,
    Duration duration) {

  /** What happens. */
  enum Kind {
    /** The first node is killed, and started again. */
    KILL(20),
    /**
     * The first node is killed for good, and its directory is lost: another one replaces it. Few,
     * because each takes half a minute, or more on a busy machine; about 20 in an hour.
     */
    REPLACE(12, 5),
    /** Two nodes are killed: no majority is left. */
    KILL_TWO(4),
    /** The first node is closed in an orderly way, and started again. */
    RESTART(8),
    /** The shard is moved from the first node to the second. */
    MOVE(8),
    /** The first node does not run. */
    PAUSE(14),
    /** No bytes from the first node to the second. */
    ONE_WAY(7),
    /** The first node reaches no other one, and none reaches it. */
    ALONE(12),
    /** The first node hears nothing. */
    DEAF(4),
    /** The first node is not heard. */
    MUTE(4),
    /** The first two nodes do not reach each other; both reach the others. */
    BRIDGE(5),
    /** What the first node sends and gets is late. */
    SLOW(5),
    /** What the first node sends is late. */
    SLOW_ONE_WAY(3),
    /** The connections of the first node break again and again, in the middle of a frame. */
    CUT(4),
    /** The clock of the first node is an hour ahead or behind, and then right again. */
    CLOCK(6),
    /** A fresh node is added; if there are many nodes, one leaves instead. */
    JOIN(0, 8),
    /** The first node is removed, while it runs or lost; if there are few, one joins instead. */
    LEAVE(0, 8),
    /** The first node is killed, its directory is lost, and it comes back under its name. */
    LOSE_DISK(0, 10),
    /** One node after the other is drained, closed and started again, when it is safe. */
    ROLL(0, 3);

    /** How often, beside the others. */
    private final int weight;

    /** How often if there are more nodes than copies. */
    private final int weightOfMany;

    Kind(int weight) {
      this(weight, weight);
    }

    Kind(int weight, int weightOfMany) {
      this.weight = weight;
      this.weightOfMany = weightOfMany;
    }

    private static Kind draw(SplittableRandom random, ToIntFunction<Kind> weight) {
      int left = random.nextInt(Arrays.stream(values()).mapToInt(weight).sum());
      for (Kind each : values()) {
        left -= weight.applyAsInt(each);
        if (left < 0) {
          return each;
        }
      }
      throw new IllegalStateException("The weights are less than their sum.");
    }
  }

  /** The long ones last longer than another node needs to take a shard. */
  private static final int LONG_PERCENT = 20;

  private static final long DELAY_MILLIS_MIN = 20;
  private static final long DELAY_MILLIS_MAX = 1_000;
  private static final int READS_TO_CUT_MIN = 3;

  /** {@return the next disturbance of nodes that keep all shards} */
  static Disturbance draw(SplittableRandom random, int shards, int nodes) {
    return draw(Kind.draw(random, each -> each.weight), random, shards, nodes);
  }

  /** {@return the next disturbance of more nodes than copies of a shard} */
  static Disturbance drawOfMany(SplittableRandom random, int shards, int nodes) {
    return draw(Kind.draw(random, each -> each.weightOfMany), random, shards, nodes);
  }

  private static Disturbance draw(Kind kind, SplittableRandom random, int shards, int nodes) {
    List<Integer> others = new ArrayList<>();
    for (int i = 1; i < nodes; i++) {
      others.add(i);
    }
    Collections.shuffle(others, new Random(random.nextLong()));
    int portsPercent = random.nextInt(100);
    Ports ports = portsPercent < 60 ? Ports.BOTH : portsPercent < 80 ? Ports.LOGS : Ports.CALLS;
    boolean isLong = random.nextInt(100) < LONG_PERCENT;
    long millis = isLong ? random.nextLong(6_000, 12_000) : random.nextLong(200, 3_500);
    return new Disturbance(
        kind,
        random.nextInt(shards),
        others,
        ports,
        random.nextInt(100) < 30,
        random.nextInt(100),
        Duration.ofMillis(millis));
  }

  /** {@return the same for another time} */
  Disturbance lasting(Duration time) {
    return new Disturbance(kind, shard, others, ports, isBroken, percent, time);
  }

  /** {@return how far the clock is off} */
  Duration clockOff() {
    return Duration.ofHours(percent < 50 ? 1 : -1);
  }

  /** {@return for how long bytes are held back} */
  Duration delay() {
    return Duration.ofMillis(
        DELAY_MILLIS_MIN + percent * (DELAY_MILLIS_MAX - DELAY_MILLIS_MIN) / 100);
  }

  private int readsToCut() {
    return READS_TO_CUT_MIN + percent / 4;
  }

  /** Does what it does to a network. */
  void disturb(Network network, List<String> nodes) {
    String first = nodes.getFirst();
    String second = nodes.get(1);
    List<String> rest = nodes.subList(1, nodes.size());
    switch (kind) {
      case ONE_WAY -> network.block(first, second, ports);
      case BRIDGE -> part(network, first, second);
      case ALONE -> rest.forEach(other -> part(network, first, other));
      case DEAF -> rest.forEach(other -> network.block(other, first, ports));
      case MUTE -> rest.forEach(other -> network.block(first, other, ports));
      case SLOW_ONE_WAY -> rest.forEach(other -> network.delay(first, other, ports, delay()));
      case SLOW ->
          rest.forEach(
              other -> {
                network.delay(first, other, ports, delay());
                network.delay(other, first, ports, delay());
              });
      case CUT -> rest.forEach(other -> network.cutEvery(first, other, ports, readsToCut()));
      case KILL, REPLACE, KILL_TWO, RESTART, MOVE, PAUSE, CLOCK, JOIN, LEAVE, LOSE_DISK, ROLL -> {}
    }
  }

  private void part(Network network, String one, String other) {
    if (isBroken) {
      network.breakOff(one, other, ports);
    } else {
      network.block(one, other, ports);
      network.block(other, one, ports);
    }
  }

  /** {@return a line about it} */
  String text(List<String> nodes) {
    String first = nodes.getFirst();
    String second = nodes.get(1);
    String how =
        switch (kind) {
          case KILL, REPLACE, KILL_TWO, RESTART, PAUSE, JOIN, LOSE_DISK, ROLL -> "";
          case LEAVE -> isBroken ? ", lost for good" : ", running";
          case MOVE -> ", undisturbed";
          case SLOW, SLOW_ONE_WAY -> " (%s, by %,d ms)".formatted(ports, delay().toMillis());
          case CUT -> " (%s, each %d reads)".formatted(ports, readsToCut());
          case CLOCK -> isBroken ? " (nodes meet again)" : "";
          case ONE_WAY, ALONE, DEAF, MUTE, BRIDGE ->
              " (" + ports + (isBroken ? ", broken)" : ", held)");
        };
    return switch (kind) {
          case KILL -> "node %s is killed".formatted(first);
          case REPLACE -> "node %s is lost for good".formatted(first);
          case KILL_TWO -> "nodes %s and %s are killed".formatted(first, second);
          case RESTART -> "node %s is closed".formatted(first);
          case MOVE -> "shard %d moves from node %s to node %s".formatted(shard, first, second);
          case PAUSE -> "node %s is paused".formatted(first);
          case ONE_WAY -> "nothing gets from node %s to node %s".formatted(first, second);
          case ALONE -> "node %s is alone".formatted(first);
          case DEAF -> "node %s hears nothing".formatted(first);
          case MUTE -> "node %s is not heard".formatted(first);
          case BRIDGE -> "nodes %s and %s do not reach each other".formatted(first, second);
          case SLOW -> "node %s is slow to reach, and to answer".formatted(first);
          case SLOW_ONE_WAY -> "what node %s sends is late".formatted(first);
          case CUT -> "node %s loses its connections".formatted(first);
          case CLOCK ->
              "the clock of node %s is off by %s min".formatted(first, clockOff().toMinutes());
          case JOIN -> "a node joins";
          case LEAVE -> "node %s leaves".formatted(first);
          case LOSE_DISK -> "node %s loses its disk".formatted(first);
          case ROLL -> "all nodes are restarted, one after the other, each closed";
        }
        + how
        + " for %,d ms".formatted(duration.toMillis());
  }
}
