package dev.holdfast;

/**
 * What an operator does with single objects while the runtime runs.
 *
 * <pre>{@code
 * ObjectAdmin admin = runtime.admin();
 * String yesterday = runtime.recovery("counters", id).bookmarkForTime(time);
 * String undo = admin.restoreNow("counters", id, yesterday);
 * }</pre>
 *
 * <p>All methods block, are called from outside of all objects, and name the object by its
 * namespace and id. They fail with
 *
 * <ul>
 *   <li>{@link NamespaceException} if no namespace has this name,
 *   <li>{@link InvalidObjectIdException} if the id is not one of the namespace,
 *   <li>{@link RuntimeClosedException} if the runtime is closed or closes,
 *   <li>{@link JournalFailedException} if the journal has failed; what was asked for may then have
 *       happened or not, as the next opening shows,
 *   <li>{@link dev.holdfast.MisuseException} if an object of this runtime calls.
 * </ul>
 *
 * <p><b>Reset.</b> {@link #reset}, {@link #restoreNow} and {@link #delete} reset an object that is
 * in memory: what the running turn has written is dropped and its SQL statement is stopped, calls
 * in flight and calls that wait fail with {@link InstanceResetException}, critical sections and
 * timers end, and no code of the instance begins another turn. Java code cannot be stopped: a turn
 * that neither uses its context nor ends keeps the next instance waiting, and {@link #restoreNow}
 * and {@link #delete} with it. An interrupt ends their wait with {@link CallInterruptedException}.
 *
 * <p>Of two calls of {@link #restoreNow} and {@link #delete} for one object at once the second
 * fails with {@link IllegalStateException} and changes nothing. Thread-safe.
 */
public interface ObjectAdmin {

  /**
   * Returns whether an object has data or alarms. Does not start it.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether it has something durable; false for one that was never written, was deleted, or
   *     has deleted everything itself
   * @throws DataDirectoryException if the catalog of objects cannot be read
   */
  boolean exists(String namespace, ObjectId id);

  /**
   * Takes an object out of memory if nothing goes on in it, as its idle time-out does. Loses
   * nothing: the next call starts a fresh instance from what is stored.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether it is not in memory now; false if it runs, waits, or has timers or strands
   */
  boolean evict(String namespace, ObjectId id);

  /**
   * Resets an object that is in memory, see above. Does not wait for a turn that runs. What was
   * sealed before stays.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether there was an instance to reset
   */
  boolean reset(String namespace, ObjectId id);

  /**
   * Brings an object back to an earlier state now: resets it, see above, and restores it before
   * anything else of it runs. Done and durable when this returns. Replaces a restore that was
   * requested before, and can itself be replaced by one that is requested at the same moment.
   *
   * <p>If the process ends, or the wait is interrupted, before this returns, the request may stay;
   * the object is then brought back when it is next used, or {@link
   * dev.holdfast.recovery.ObjectRecovery#withdrawRestore} takes the request back.
   *
   * @param namespace the name of the object's namespace
   * @param id the object; it need not be in memory, and may have been deleted
   * @param bookmark where to
   * @return a bookmark of the state just before
   * @throws BookmarkException if the namespace keeps no history, or the bookmark cannot be used;
   *     nothing has changed
   * @throws StorageFailedException if the restore fails; the object keeps its present state, and
   *     nothing is requested
   */
  String restoreNow(String namespace, ObjectId id, String bookmark);

  /**
   * Deletes an object: its keys, values and tables, its alarms, its entry in the catalog, and a
   * restore that was requested. One batch, durable when this returns; resets the object, see above.
   * The history stays for the recovery window, so {@link #restoreNow} with an earlier bookmark
   * brings it back. A call that comes later finds a new, empty object.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether it existed; if not, nothing was written
   * @throws StorageFailedException if it cannot be deleted; it is as it was
   */
  boolean delete(String namespace, ObjectId id);
}
