package dev.holdfast.recovery;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of an object's history, newest first. Immutable.
 *
 * @param entries the changes
 * @param next the bookmark of the next page; null if there is no older change
 */
public record HistoryPage(List<HistoryEntry> entries, @Nullable String next) {

  /**
   * Copies the list.
   *
   * @throws NullPointerException if an entry is null
   */
  public HistoryPage {
    entries = List.copyOf(entries);
  }
}
