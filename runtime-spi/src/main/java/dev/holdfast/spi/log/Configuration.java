package dev.holdfast.spi.log;

import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Which nodes keep a log.
 *
 * @param index the place in the log of the entry that says so; {@link #NO_ENTRY} if there was none
 *     yet
 * @param members the nodes, sorted by name, and where the log reaches each: text that only the log
 *     understands. While a change is under way, the nodes before and after it
 * @param isChanging whether a change is under way, so that both majorities are needed
 */
public record Configuration(long index, SequencedMap<NodeId, String> members, boolean isChanging) {

  /** The place of a configuration that no entry of the log has said: before all of them. */
  public static final long NO_ENTRY = -1;

  /** Copies the members, in the order of their names. */
  public Configuration {
    members = sorted(members);
  }

  /**
   * Returns a configuration that nothing changes.
   *
   * @param index the place in the log
   * @param members the nodes, and where the log reaches each
   * @return the configuration
   */
  public static Configuration of(long index, Map<NodeId, String> members) {
    return new Configuration(index, sorted(members), /* isChanging= */ false);
  }

  /**
   * Returns the members with one more.
   *
   * @param node the node
   * @param address where the log reaches it
   * @return the members
   */
  public Map<NodeId, String> with(NodeId node, String address) {
    SequencedMap<NodeId, String> all = new TreeMap<>(Comparator.comparing(NodeId::name));
    all.putAll(members);
    all.put(node, address);
    return all;
  }

  /**
   * Returns the members without one.
   *
   * @param node the node
   * @return the members
   */
  public Map<NodeId, String> without(NodeId node) {
    SequencedMap<NodeId, String> all = new TreeMap<>(Comparator.comparing(NodeId::name));
    all.putAll(members);
    all.remove(node);
    return all;
  }

  private static SequencedMap<NodeId, String> sorted(Map<NodeId, String> members) {
    SequencedMap<NodeId, String> copy = new TreeMap<>(Comparator.comparing(NodeId::name));
    copy.putAll(members);
    return Collections.unmodifiableSequencedMap(copy);
  }
}
