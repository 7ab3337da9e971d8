package dev.holdfast.http.monitor.object;

import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Set;

/**
 * What searches for scripts, connections and cookies have in common. In hosts, {@code *} at the
 * beginning and at the end stands for any text. Immutable.
 *
 * @param statuses the statuses; the active ones if it is empty
 * @param hosts the hosts of pages; any if it is empty
 * @param isByFirstSeen whether the order is that of the first time, not of the last one
 * @param isAscending whether the eldest is first
 */
public record SeenSearch(
    List<String> statuses, List<String> hosts, boolean isByFirstSeen, boolean isAscending) {

  private static final Set<String> STATUSES = Set.of("active", "infrequent", "inactive");

  /** All that is active, what was seen last first. */
  public static final SeenSearch ACTIVE = new SeenSearch(List.of(), List.of(), false, false);

  /**
   * Copies the lists.
   *
   * @throws RefusedException if there is no such status
   */
  public SeenSearch {
    statuses = statuses(statuses);
    hosts = List.copyOf(hosts);
  }

  /**
   * {@return statuses}
   *
   * @param words the words for them
   * @throws RefusedException if there is no such status
   */
  public static List<String> statuses(List<String> words) {
    if (!STATUSES.containsAll(words)) {
      throw RefusedException.badParameter("status", "active, infrequent or inactive");
    }
    return List.copyOf(words);
  }
}
