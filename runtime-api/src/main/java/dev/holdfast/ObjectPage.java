package dev.holdfast;

import java.util.List;
import java.util.Optional;

/**
 * A part of the list of a namespace's objects. Immutable.
 *
 * @param ids the objects: those with names in the UTF-8 order of the names, then those without
 * @param nextCursor where the next part begins; empty if this is the last one
 */
public record ObjectPage(List<ObjectId> ids, Optional<String> nextCursor) {

  /** Copies the list. */
  public ObjectPage {
    ids = List.copyOf(ids);
  }
}
