package dev.holdfast.spi.catalog;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one {@link ObjectStore} knows of its object's place in the directory, so that a batch says
 * only what is news. Owned by the thread that runs the turn.
 */
public final class Listing {

  // states: UNKNOWN -> LISTED <-> GONE, or UNKNOWN -> GONE
  private enum State {
    /** No batch of this store has said anything yet. */
    UNKNOWN,
    /** A batch of this store has said that the object exists. */
    LISTED,
    /** A batch of this store has said that the object does not exist any more. */
    GONE
  }

  private State state = State.UNKNOWN;

  /** Creates the listing of a store that has not sealed a batch. */
  public Listing() {}

  /**
   * {@return whether a batch that changes nothing else should say that the object is gone}
   *
   * @param wasWritten asked if no batch of this store has said anything: whether the object was
   *     ever written
   */
  public boolean endsWithoutChange(BooleanSupplier wasWritten) {
    return switch (state) {
      case LISTED -> true;
      case GONE -> false;
      case UNKNOWN -> wasWritten.getAsBoolean();
    };
  }

  /**
   * Returns what a batch says of its object.
   *
   * @param key the object
   * @param alarms null if the batch does not change them
   * @param gone whether the object has neither data nor alarms any more
   * @return null if there is nothing to say
   */
  public @Nullable CatalogChange change(
      ObjectKey key, CatalogChange.@Nullable Alarms alarms, boolean gone) {
    if (gone) {
      return new CatalogChange(false, null, alarms);
    }
    if (state == State.LISTED) {
      // The name was said with the listing, and stays.
      return alarms == null ? null : new CatalogChange(true, null, alarms);
    }
    return new CatalogChange(true, key.id().name().orElse(null), alarms);
  }

  /**
   * Takes note of a batch that was appended.
   *
   * @param change what it said
   */
  public void sealed(CatalogChange change) {
    state = change.exists() ? State.LISTED : State.GONE;
  }
}
