package dev.holdfast.spi;

import dev.holdfast.ObjectId;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects that a backend has, and their alarms: a view of the journal, as the data is.
 *
 * <p>An object enters with its first batch and leaves with the batch after which it has neither
 * data nor alarms, because it deleted everything. Reads return durable state only: a change whose
 * batch is not durable in the journal yet is not visible. Thread-safe; may block for the disk, but
 * never asks the journal for a sync. A change that was durable before a call is visible, or the
 * call fails.
 */
public interface ObjectCatalog {

  /**
   * Reads a part of the directory, as of one moment. An object that gets its name meanwhile is
   * found either with or without it; between two parts it may move to a place that was already
   * read.
   *
   * @param query which objects
   * @return their ids, with their names where known, in the order of {@link ObjectQuery}
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<ObjectId> objects(ObjectQuery query);

  /**
   * Looks an object up.
   *
   * @param key the object; its name does not matter
   * @return its id, with its name if that is known; null if it has neither data nor alarms
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  @Nullable ObjectId find(ObjectKey key);

  /**
   * Returns whether an object is in the directory.
   *
   * @param key the object; its name does not matter
   * @return whether it has data or alarms
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  default boolean has(ObjectKey key) {
    return find(key) != null;
  }

  /**
   * {@return the names of all namespaces that have, or have had, objects here}
   *
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  Set<String> namespaces();

  /**
   * Passes the objects whose last batch is after a position to a visitor, deleted ones too, without
   * their names, in any order. A batch that is not saved in files yet does not count.
   *
   * @param position the position
   * @param visitor receives them
   * @return whether the catalog knows them; if not, a restore to before a purge is refused
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  default boolean changedAfter(long position, Consumer<ObjectKey> visitor) {
    return false;
  }

  /**
   * Takes the objects that have come into being with a name that another object of their namespace
   * has: what is known so far, each once, and the first ones if there are many. Never blocks.
   *
   * @return the objects, with their names
   */
  default List<ObjectKey> takeSharedNames() {
    return List.of();
  }

  /**
   * Reads a part of the index of alarms.
   *
   * @param query which alarms
   * @return the alarms in {@link AlarmEntry#ORDER}; fewer than the limit only if there are no more
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<AlarmEntry> alarms(AlarmQuery query);

  /**
   * Counts the alarms of a namespace, by reading its part of the index.
   *
   * @param namespace the namespace
   * @param state only alarms in this state
   * @return how many there are
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  long alarmCount(String namespace, AlarmRecord.State state);

  /**
   * Sets the listener that is notified when a batch has changed the alarms of an object. At most
   * one; called before the first turn.
   *
   * @param listener the listener
   */
  void onAlarmsChanged(AlarmsListener listener);

  /** Is notified that the alarms of an object have changed. */
  @FunctionalInterface
  interface AlarmsListener {

    /**
     * Called after the batch was appended to the journal, possibly before it is durable, on the
     * thread of the turn: must be short and never fail. Calls about one object come in order.
     *
     * @param key the object
     * @param after all its alarms after the batch
     * @param before all its alarms before the batch
     */
    void changed(ObjectKey key, List<AlarmRecord> after, List<AlarmRecord> before);
  }
}
