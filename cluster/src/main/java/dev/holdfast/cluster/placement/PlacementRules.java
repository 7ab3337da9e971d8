package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What operators have said about placement. A majority of the nodes keeps it: the owner of the
 * first shard reads what a majority has, and writes a change to one with a higher number.
 *
 * @param number of the change; 0 before the first one
 * @param writer the node that wrote it, which orders two of one number
 * @param isOff whether nothing is evened
 * @param leaving the nodes that are being removed
 */
public record PlacementRules(long number, String writer, boolean isOff, Set<NodeId> leaving)
    implements Comparable<PlacementRules> {

  /** Before anybody has said anything. */
  public static final PlacementRules FIRST = new PlacementRules(0, "-", false, Set.of());

  /** More changes than an owner ever makes. */
  private static final int CHANGES_BITS = 20;

  private static final Comparator<PlacementRules> ORDER =
      Comparator.comparingLong(PlacementRules::number).thenComparing(PlacementRules::writer);

  /** Copies the nodes. */
  public PlacementRules {
    leaving = Set.copyOf(leaving);
  }

  /**
   * {@return the rules that {@link #toString} has written}
   *
   * @param text what it has written
   * @throws IllegalArgumentException if it has not
   */
  public static PlacementRules parse(String text) {
    List<String> parts = List.of(text.split(" ", -1));
    if (parts.size() < 3) {
      throw new IllegalArgumentException("Not rules of placement: \"" + text + "\"");
    }
    return new PlacementRules(
        Long.parseLong(parts.get(0)),
        parts.get(1),
        parts.get(2).equals("off"),
        Set.copyOf(parts.subList(3, parts.size()).stream().map(NodeId::new).toList()));
  }

  /**
   * {@return these rules with the number that they have as those of the owner of the first shard:
   * an owner that has lost the shard meanwhile gives a lower one}
   *
   * @param last those before
   * @param epoch of the ownership
   */
  public PlacementRules after(PlacementRules last, long epoch) {
    return new PlacementRules(
        Math.max(last.number + 1, epoch << CHANGES_BITS), writer, isOff, leaving);
  }

  /**
   * {@return the next rules}
   *
   * @param by the node that writes them
   * @param off whether nothing is evened
   */
  public PlacementRules off(NodeId by, boolean off) {
    return new PlacementRules(number + 1, by.name(), off, leaving);
  }

  /**
   * {@return the next rules}
   *
   * @param by the node that writes them
   * @param node a node
   * @param leaves whether it is being removed
   */
  public PlacementRules leaving(NodeId by, NodeId node, boolean leaves) {
    Stream<NodeId> others = leaving.stream().filter(each -> !each.equals(node));
    Stream<NodeId> all = leaves ? Stream.concat(others, Stream.of(node)) : others;
    return new PlacementRules(number + 1, by.name(), isOff, Set.copyOf(all.toList()));
  }

  /** {@return which of two was written later} */
  @Override
  public int compareTo(PlacementRules other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    TreeSet<String> names = new TreeSet<>(leaving.stream().map(NodeId::name).toList());
    return number
        + " "
        + writer
        + (isOff ? " off" : " on")
        + (names.isEmpty() ? "" : " " + String.join(" ", names));
  }
}
