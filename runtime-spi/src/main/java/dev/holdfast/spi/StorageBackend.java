package dev.holdfast.spi;

import dev.holdfast.sql.SqlLimits;
import java.util.function.Predicate;

/**
 * A storage engine: keeps the data of objects as a view of the journal.
 *
 * <p>Thread-safe, but for what {@link ObjectStore} says.
 */
public interface StorageBackend extends JournalView, AutoCloseable {

  /**
   * Returns the store of one object. Cheap: touches no file. At most one store of an object is in
   * use at a time; the engine sees to that.
   *
   * @param key the object
   * @return the store
   */
  ObjectStore store(ObjectKey key);

  /** {@return the objects of this backend and their alarms} */
  ObjectCatalog catalog();

  /**
   * Says who is to learn when the backend finds, outside of the object's turns, that it cannot keep
   * an object any more: a sync of its file in the background has failed, for example. Turns that
   * begin afterwards fail. One that runs at that moment may read what is not true any more: nothing
   * of it may leave the object, and only the listener can see to that.
   *
   * <p>Called at most once, before the first store is asked for. A backend that does nothing in the
   * background has nothing to tell.
   *
   * @param listener told once for each object
   */
  default void onObjectFailure(ObjectFailureListener listener) {}

  /**
   * Says for which namespaces batches get an undo; for all unless this is called. The batches of
   * the others are records of kind {@link RecordKind#BATCH_WITHOUT_UNDO}.
   *
   * <p>Called at most once, before the first store is asked for.
   *
   * @param namespaces tells by the name of a namespace; thread-safe and fast
   */
  default void keepUndoOf(Predicate<String> namespaces) {}

  /**
   * Returns whether a turn of an object waits for its data to be opened: for a file, or for others
   * that make room. Who starts many turns starts no more of them then, as that is the storage's
   * slowness and not the object's. Takes no lock.
   *
   * @param key the object
   * @return whether one waits; false of a backend that opens nothing for an object
   */
  default boolean isOpening(ObjectKey key) {
    return false;
  }

  /**
   * Returns the store of one object, as {@link #store(ObjectKey)} does.
   *
   * @param key the object
   * @param limits what its SQL may take; a backend without SQL needs none
   * @return the store
   */
  default ObjectStore store(ObjectKey key, SqlLimits limits) {
    return store(key);
  }

  /**
   * Makes everything durable in the backend's own files, if the journal has not failed, and closes
   * them. No store is used afterwards.
   */
  @Override
  void close();
}
