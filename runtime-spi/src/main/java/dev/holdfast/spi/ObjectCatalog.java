package dev.holdfast.spi;

import dev.holdfast.ObjectId;
import java.util.List;

/**
 * The objects that a backend has, and their alarms: a view of the journal as the data itself is.
 *
 * <p>An object enters with its first batch and leaves with the batch after which it has neither
 * data nor alarms, because it deleted everything. What is read here is durable: a change whose
 * batch the journal does not have yet does not show. Thread-safe; may block for the disk, but never
 * asks the journal for a sync. What was durable before a call shows, or the call fails.
 */
public interface ObjectCatalog {

  /**
   * Reads a part of the directory, as it was at one moment. So an object that gets its name
   * meanwhile is found with it or without; between two parts it may move behind what was read
   * already.
   *
   * @param query which objects
   * @return their ids, with the names as far as they are known, in the order of {@link ObjectQuery}
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<ObjectId> objects(ObjectQuery query);

  /**
   * Returns whether an object is in the directory.
   *
   * @param key the object; its name does not matter
   * @return whether it has data or alarms
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  boolean has(ObjectKey key);

  /**
   * Reads a part of the index of alarms.
   *
   * @param query which alarms
   * @return the alarms in {@link AlarmEntry#ORDER}; fewer than the limit only if there are no more
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<AlarmEntry> alarms(AlarmQuery query);

  /**
   * Sets who is told when a batch has changed the alarms of an object. At most one; to be called
   * before the first turn.
   *
   * @param listener who
   */
  void onAlarmsChanged(AlarmsListener listener);

  /** Learns that the alarms of an object have changed. */
  @FunctionalInterface
  interface AlarmsListener {

    /**
     * Called after the batch was appended to the journal, when it may not be durable yet, on the
     * thread of the turn: must be short and never fail. Calls about one object come in order.
     *
     * @param key the object
     * @param alarms all its alarms since the batch
     */
    void changed(ObjectKey key, List<AlarmRecord> alarms);
  }
}
