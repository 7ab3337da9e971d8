package dev.holdfast.spi;

import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.statistics.BackendStatistics;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A storage engine: keeps the data of objects as a view of the journal.
 *
 * <p>Thread-safe, except as {@link ObjectStore} states.
 */
public interface StorageBackend extends JournalView, AutoCloseable {

  /**
   * Returns the store of one object. Cheap: touches no file. At most one store of an object is in
   * use at a time; the engine ensures that.
   *
   * @param key the object
   * @return the store
   */
  ObjectStore store(ObjectKey key);

  /** {@return the objects of this backend and their alarms} */
  ObjectCatalog catalog();

  /**
   * Returns what a record states about the existence and the name of its object.
   *
   * @param record any record
   * @return the change; null if the record is of another view, is not a batch, or changes nothing
   *     of these
   * @throws IllegalArgumentException if a newer version has written the record
   */
  default @Nullable ObjectPresence presenceIn(JournalRecord record) {
    return null;
  }

  /**
   * {@return whether a record says that an operator gave up the data of all objects: none of them
   * has anything after it but what it writes then}
   *
   * @param record any record
   */
  default boolean givesUpAll(JournalRecord record) {
    return false;
  }

  /**
   * Sets the listener that is notified when the backend finds, outside the object's turns, that it
   * can no longer keep an object: a background sync of its file has failed, for example. Turns that
   * begin afterwards fail. A turn that runs at that moment may read data that is no longer valid:
   * nothing of it may leave the object, and only the listener can ensure that.
   *
   * <p>Called at most once, before the first store is requested. A backend without background work
   * never calls it.
   *
   * @param listener notified once for each object
   */
  default void onObjectFailure(ObjectFailureListener listener) {}

  /**
   * Sets the namespaces whose batches get an undo; the default is all. The batches of the other
   * namespaces are records of kind {@link RecordKind#BATCH_WITHOUT_UNDO}.
   *
   * <p>Called at most once, before the first store is requested.
   *
   * @param namespaces whether a namespace, by its name, gets an undo; thread-safe and fast
   */
  default void keepUndoOf(Predicate<String> namespaces) {}

  /**
   * Returns whether a turn of an object waits for its data to be opened: for a file, or for other
   * objects to make room. A caller that starts many turns then starts no more of them, because the
   * storage is slow and not the object. Takes no lock.
   *
   * @param key the object
   * @return whether a turn waits; false if the backend opens nothing for an object
   */
  default boolean isOpening(ObjectKey key) {
    return false;
  }

  /**
   * Returns the sizes of objects, for operators: of their files as last saved, or of their keys and
   * values in a database that objects share, which are all read. Opens no file of an object.
   *
   * @param keys the objects
   * @return the sizes in bytes, in the order of the keys
   * @throws dev.holdfast.errors.DataDirectoryException if the sizes cannot be read
   */
  default long[] bytes(List<ObjectKey> keys) {
    return new long[keys.size()];
  }

  /** {@return how many objects are refused, because their storage has failed; takes no lock} */
  default long refusedObjects() {
    return 0;
  }

  /**
   * {@return for how long the oldest save that was requested has waited or run, in nanoseconds; 0
   * if there is none. Takes no lock that a turn needs}
   */
  default long saveLagNanos() {
    return 0;
  }

  /**
   * Takes a snapshot of the numbers of the backend. Takes no lock that a turn needs and touches no
   * file; answers also after a failure and after the close.
   *
   * @return the numbers since the backend was opened; null if it counts nothing
   */
  default @Nullable BackendStatistics statistics() {
    return null;
  }

  /**
   * Begins to copy the files of the backend while turns go on. The journal keeps its low-water mark
   * and its segments until the copy is closed. One copy runs at a time: the call waits for the end
   * of another one.
   *
   * @param target receives the files
   * @return the copy; without files, nothing happens in it
   */
  default FilesCopy beginCopy(BackupTarget target) {
    return FilesCopy.NONE;
  }

  /**
   * Returns the store of one object, as {@link #store(ObjectKey)} does.
   *
   * @param key the object
   * @param limits the limits of its SQL; a backend without SQL ignores them
   * @return the store
   */
  default ObjectStore store(ObjectKey key, SqlLimits limits) {
    return store(key);
  }

  /**
   * Removes from the files what objects have deleted or replaced, as {@link
   * ObjectStore#eraseRemains} does for one: for files that nobody uses now.
   *
   * @param keys the objects
   */
  default void eraseRemains(Collection<ObjectKey> keys) {
    keys.forEach(key -> store(key).eraseRemains());
  }

  /**
   * Makes all data durable in the backend's own files, if the journal has not failed, and closes
   * them. No store is used afterwards.
   */
  @Override
  void close();

  /**
   * What a batch states about its object. Immutable.
   *
   * @param exists whether the object has anything after the batch
   * @param name the name of the object, if the batch has it
   */
  record ObjectPresence(boolean exists, @Nullable String name) {}
}
