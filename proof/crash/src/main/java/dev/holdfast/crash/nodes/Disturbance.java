package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Network.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * What happens to the nodes, and for how long. Drawn from a seed; the nodes are those at the places
 * of a list in which the owner of a shard, also drawn, is the first.
 *
 * @param kind what happens
 * @param shard the owner of this shard is the first node
 * @param others the order of the other nodes
 * @param ports which ports a partition concerns
 * @param isBroken whether a partition breaks connections; else it holds their bytes back
 * @param duration how long it lasts
 */
record Disturbance(
    Kind kind, int shard, List<Integer> others, Ports ports, boolean isBroken, Duration duration) {

  /** What happens. */
  enum Kind {
    /** The first node is killed, and started again. */
    KILL,
    /** The first node is killed for good, and its directory is lost: another one replaces it. */
    REPLACE,
    /** Two nodes are killed: no majority is left. */
    KILL_TWO,
    /** The first node does not run. */
    PAUSE,
    /** No bytes from the first node to the second. */
    ONE_WAY,
    /** The first node reaches no other one, and none reaches it. */
    ALONE,
    /** The first node hears nothing. */
    DEAF,
    /** The first node is not heard. */
    MUTE,
    /** The first two nodes do not reach each other; both reach the others. */
    BRIDGE
  }

  private static final int LONG_PERCENT = 8;

  private static final int KILL_PERCENT = 23;

  /** Few, because each takes half a minute, or more on a busy machine; over 20 in an hour. */
  private static final int REPLACE_PERCENT = 12;

  /** {@return the next disturbance} */
  static Disturbance draw(SplittableRandom random, int shards, int nodes) {
    Kind kind = drawKind(random.nextInt(100));
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
        Duration.ofMillis(millis));
  }

  private static Kind drawKind(int percent) {
    if (percent < KILL_PERCENT) {
      return Kind.KILL;
    }
    if (percent < KILL_PERCENT + REPLACE_PERCENT) {
      return Kind.REPLACE;
    }
    if (percent < 39) {
      return Kind.KILL_TWO;
    }
    if (percent < 55) {
      return Kind.PAUSE;
    }
    if (percent < 65) {
      return Kind.ONE_WAY;
    }
    if (percent < 80) {
      return Kind.ALONE;
    }
    if (percent < 86) {
      return Kind.DEAF;
    }
    return percent < 92 ? Kind.MUTE : Kind.BRIDGE;
  }

  boolean isPartition() {
    return switch (kind) {
      case KILL, REPLACE, KILL_TWO, PAUSE -> false;
      case ONE_WAY, ALONE, DEAF, MUTE, BRIDGE -> true;
    };
  }

  /** Cuts a network, if it is a partition. */
  void cut(Network network, List<String> nodes) {
    String first = nodes.getFirst();
    String second = nodes.get(1);
    switch (kind) {
      case ONE_WAY -> network.block(first, second, ports);
      case BRIDGE -> part(network, first, second);
      case ALONE -> nodes.stream().skip(1).forEach(other -> part(network, first, other));
      case DEAF -> nodes.stream().skip(1).forEach(other -> network.block(other, first, ports));
      case MUTE -> nodes.stream().skip(1).forEach(other -> network.block(first, other, ports));
      case KILL, REPLACE, KILL_TWO, PAUSE -> {}
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
    String how = isPartition() ? " (" + ports + (isBroken ? ", broken)" : ", held)") : "";
    return switch (kind) {
          case KILL -> "node %s is killed".formatted(first);
          case REPLACE -> "node %s is lost for good".formatted(first);
          case KILL_TWO -> "nodes %s and %s are killed".formatted(first, second);
          case PAUSE -> "node %s is paused".formatted(first);
          case ONE_WAY -> "nothing gets from node %s to node %s".formatted(first, second);
          case ALONE -> "node %s is alone".formatted(first);
          case DEAF -> "node %s hears nothing".formatted(first);
          case MUTE -> "node %s is not heard".formatted(first);
          case BRIDGE -> "nodes %s and %s do not reach each other".formatted(first, second);
        }
        + how
        + " for %,d ms".formatted(duration.toMillis());
  }
}
