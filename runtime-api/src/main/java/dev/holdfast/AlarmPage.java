package dev.holdfast;

import java.util.List;
import java.util.Optional;

/**
 * A part of a list of alarms. Immutable.
 *
 * @param alarms the alarms, by due time
 * @param nextCursor where the next part begins; empty if this is the last one
 */
public record AlarmPage(List<AlarmStatus> alarms, Optional<String> nextCursor) {

  /** Copies the list. */
  public AlarmPage {
    alarms = List.copyOf(alarms);
  }
}
