package dev.holdfast.cluster.member;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The members of a log as text, as they are in the file {@code node} and travel between nodes: for
 * each {@code name=host:port} of its log. Stateless.
 */
public final class ConfigurationText {

  private ConfigurationText() {}

  /**
   * {@return the members, sorted by name}
   *
   * @param known the nodes that keep a log
   */
  public static List<String> members(Configuration known) {
    return known.members().entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .toList();
  }

  /**
   * {@return the nodes that keep a log}
   *
   * @param index the place in the log of the entry that says so
   * @param members what {@link #members} has given
   * @throws IllegalArgumentException if one is no member
   * @throws IndexOutOfBoundsException if one is no member
   */
  public static Configuration of(long index, List<?> members) {
    Map<NodeId, String> named = new HashMap<>();
    for (Object each : members) {
      String text = String.valueOf(each);
      int equals = text.indexOf('=');
      named.put(new NodeId(text.substring(0, equals)), text.substring(equals + 1));
    }
    return Configuration.of(index, named);
  }
}
