package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.storage.ObjectStorage;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that works on the object's turn itself, and may do without an instance of the
 * application's class. Thread-safe.
 */
public interface TurnDelivery extends CallDelivery {

  /** Gives the application's object, which it makes first if need be. */
  interface Target {

    /**
     * Returns the object.
     *
     * @return the application's object
     */
    Object object();

    /**
     * Returns the storage that the object uses.
     *
     * @return the storage of the application's object
     */
    ObjectStorage storage();

    /** Drops what the object has read, because the turn has written keys past its storage. */
    void dropCache();
  }

  /**
   * Does its work, in the object's turn.
   *
   * @param turn of the object
   * @param target gives the application's object
   * @return a result that belongs to the caller
   * @throws Throwable whatever the object throws
   */
  @Nullable Object deliver(Turn turn, Target target) throws Throwable;

  @Override
  default boolean isCall() {
    return false;
  }

  @Override
  default @Nullable Object deliver(ObjectId id, Object object, @Nullable Object[] arguments) {
    throw new UnsupportedOperationException("delivered with its turn");
  }
}
