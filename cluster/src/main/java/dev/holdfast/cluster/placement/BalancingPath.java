package dev.holdfast.cluster.placement;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last hop of a chain of moves that takes one from a node with more and gives one to a node
 * with at least two fewer. Nodes between the two end with what they had, so chains reach what no
 * single move does: the augmenting paths of bipartite matching.
 *
 * <p>Hops are done from the last one on. After each, a chain that is one hop shorter remains, or
 * the counts are more even: the sum of their squares and then the length of the shortest chain
 * shrink, so moves end.
 *
 * @param length how many hops the chain has
 * @param difference how much more the first node has than the last one
 * @param item what the last hop moves
 * @param to where it goes
 */
record BalancingPath(int length, int difference, int item, int to) {

  /** No item of a node can move to another one. */
  static final int NONE = -1;

  /**
   * Finds a shortest chain; of several, one with the greatest difference, then the first item.
   *
   * @param counts how many each node has
   * @param via for each pair of nodes the first item that can move from one to the other, or {@link
   *     #NONE}
   * @return the last hop, or null if the counts are as even as they can be
   */
  static @Nullable BalancingPath shortest(int[] counts, int[][] via) {
    int lowest = lowestOfTargets(counts, via);
    BalancingPath best = null;
    for (int first = 0; first < counts.length; first++) {
      if ((long) counts[first] - lowest < 2) {
        continue;
      }
      best = better(best, from(first, counts, via, best == null ? counts.length : best.length));
    }
    return best;
  }

  private static int lowestOfTargets(int[] counts, int[][] via) {
    int lowest = Integer.MAX_VALUE;
    for (int[] hops : via) {
      for (int next = 0; next < hops.length; next++) {
        lowest = hops[next] == NONE ? lowest : Math.min(lowest, counts[next]);
      }
    }
    return lowest;
  }

  private static @Nullable BalancingPath from(int first, int[] counts, int[][] via, int lengthMax) {
    int[] previous = new int[counts.length];
    Arrays.fill(previous, NONE);
    previous[first] = first;
    int[] queue = new int[counts.length];
    queue[0] = first;
    int begin = 0;
    int end = 1;
    BalancingPath best = null;
    for (int length = 1; length <= lengthMax && begin < end && best == null; length++) {
      for (int levelEnd = end; begin < levelEnd; begin++) {
        int node = queue[begin];
        int[] hops = via[node];
        for (int next = 0; next < hops.length; next++) {
          if (hops[next] == NONE || previous[next] != NONE) {
            continue;
          }
          previous[next] = node;
          queue[end++] = next;
          int difference = counts[first] - counts[next];
          if (difference >= 2 && areDistinct(next, previous, via)) {
            best = better(best, new BalancingPath(length, difference, hops[next], next));
          }
        }
      }
    }
    return best;
  }

  /** An item that moves twice would change what the earlier hop relies on. */
  private static boolean areDistinct(int last, int[] previous, int[][] via) {
    for (int to = last; previous[to] != to; to = previous[to]) {
      for (int other = previous[to]; previous[other] != other; other = previous[other]) {
        if (via[previous[to]][to] == via[previous[other]][other]) {
          return false;
        }
      }
    }
    return true;
  }

  private static @Nullable BalancingPath better(
      @Nullable BalancingPath one, @Nullable BalancingPath other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    int order = Integer.compare(one.length, other.length);
    order = order != 0 ? order : Integer.compare(other.difference, one.difference);
    order = order != 0 ? order : Integer.compare(one.item, other.item);
    return order <= 0 ? one : other;
  }
}
