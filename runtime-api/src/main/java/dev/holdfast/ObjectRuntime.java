package dev.holdfast;

import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;

/**
 * A running set of namespaces over one data directory.
 *
 * <p>Thread-safe. One process at a time may have a data directory open.
 */
public interface ObjectRuntime extends AutoCloseable {

  /**
   * Returns a namespace that was registered when the runtime was opened.
   *
   * @param <T> the interface of the objects
   * @param name the namespace's name
   * @param type the interface it was registered with
   * @return the namespace
   * @throws NamespaceException if no namespace has this name, or it has another interface
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

  /**
   * Returns the past of an object, its history, differences between its states, copies of them; and
   * its state as a file.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return its past
   * @throws NamespaceException if no namespace has this name
   * @throws InvalidObjectIdException if the id is not one of the namespace
   */
  ObjectRecovery recovery(String namespace, ObjectId id);

  /** {@return what operators do with single objects: evict, reset, restore and delete them} */
  ObjectAdmin admin();

  /** {@return what the journal takes on the disk, with the history it keeps; may read files} */
  HistoryUsage historyUsage();

  /**
   * Closes the runtime in order: refuses new calls, lets running and waiting calls finish, makes
   * all of it durable, brings the storage files up to date and gives back the directory.
   *
   * <p>Calls that arrive meanwhile fail with {@link RuntimeClosedException}; calls still running
   * after {@link RuntimeOptions#closeTimeout} are interrupted and fail with {@link
   * InstanceResetException}. Closing twice does nothing.
   *
   * @throws JournalFailedException if the last sync fails; or if the journal had failed before, and
   *     unconfirmed writes are lost whose callers were answered. The directory is given back all
   *     the same, and everything confirmed is there when it is opened again
   */
  @Override
  void close();
}
