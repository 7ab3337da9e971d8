package dev.holdfast.spi.catalog;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether the directory lists the object of one {@link ObjectStore}, so that a batch
 * contains only changes. Confined to the thread that runs the turn.
 */
public final class Listing {

  // states: UNKNOWN -> LISTED <-> GONE, or UNKNOWN -> GONE
  private enum State {
    /** No batch of this store has stated anything yet. */
    UNKNOWN,
    /** A batch of this store has stated that the object exists. */
    LISTED,
    /** A batch of this store has stated that the object no longer exists. */
    GONE
  }

  private State state = State.UNKNOWN;

  /** Creates the listing of a store that has not sealed a batch. */
  public Listing() {}

  /**
   * {@return whether a batch that changes nothing else must state that the object is gone}
   *
   * @param wasWritten whether the object was ever written; called if no batch of this store has
   *     stated anything
   */
  public boolean endsWithoutChange(BooleanSupplier wasWritten) {
    return switch (state) {
      case LISTED -> true;
      case GONE -> false;
      case UNKNOWN -> wasWritten.getAsBoolean();
    };
  }

  /**
   * Returns the catalog change of a batch.
   *
   * @param key the object
   * @param alarms null if the batch does not change them
   * @param gone whether the object no longer has data or alarms
   * @return the change; null if there is none
   */
  public @Nullable CatalogChange change(
      ObjectKey key, CatalogChange.@Nullable Alarms alarms, boolean gone) {
    if (gone) {
      return new CatalogChange(false, null, alarms);
    }
    if (state == State.LISTED) {
      // The name was stated with the listing, and stays.
      return alarms == null ? null : new CatalogChange(true, null, alarms);
    }
    return new CatalogChange(true, key.id().name().orElse(null), alarms);
  }

  /**
   * Records that a batch was appended.
   *
   * @param change its change
   */
  public void sealed(CatalogChange change) {
    state = change.exists() ? State.LISTED : State.GONE;
  }
}
