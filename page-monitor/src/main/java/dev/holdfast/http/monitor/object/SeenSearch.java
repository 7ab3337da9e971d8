package dev.holdfast.http.monitor.object;

import java.util.List;

/**
 * What searches for scripts, connections and cookies have in common. In hosts and pages, {@code *}
 * at the beginning and at the end stands for any text. Immutable.
 *
 * @param statuses the statuses; the active ones if it is empty
 * @param hosts the hosts of pages; any if it is empty
 * @param pageUrls the pages without their scheme; any if it is empty
 * @param isByFirstSeen whether the order is that of the first time, not of the last one
 * @param isAscending whether the eldest is first
 */
public record SeenSearch(
    List<String> statuses,
    List<String> hosts,
    List<String> pageUrls,
    boolean isByFirstSeen,
    boolean isAscending) {

  /** All that is active, what was seen last first. */
  public static final SeenSearch ACTIVE =
      new SeenSearch(List.of(), List.of(), List.of(), false, false);

  /** Copies the lists. */
  public SeenSearch {
    statuses = List.copyOf(statuses);
    hosts = List.copyOf(hosts);
    pageUrls = List.copyOf(pageUrls);
  }
}
