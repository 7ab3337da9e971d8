package dev.holdfast.spi.inspect;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.StorageBackend.ObjectPresence;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the objects of a runtime without running code of the application. Thread-safe;
 * every method may read files. Not for use inside of objects.
 */
public interface Inspection {

  /** {@return the storage engine of each namespace, by name, in the order of registration} */
  SequencedMap<String, StorageKind> namespaces();

  /**
   * Returns the object with a name.
   *
   * @param namespace the name of its namespace
   * @param name the name
   * @return the object
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  ObjectKey named(String namespace, String name);

  /**
   * Returns the object with an id.
   *
   * @param namespace the name of its namespace
   * @param digits the id, 64 hexadecimal digits
   * @return the object
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if this is not an id of the namespace
   */
  ObjectKey withId(String namespace, String digits);

  /**
   * Looks an object up in the directory of its namespace.
   *
   * @param key the object; its name does not matter
   * @return the object, with its name if that is known; as given if it is not in the directory
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  ObjectKey listed(ObjectKey key);

  /**
   * Reads a part of the directory of a namespace.
   *
   * @param query which objects
   * @return their ids, with their names where known
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<ObjectId> objects(ObjectQuery query);

  /**
   * Returns the sizes of objects: of their files as last saved, or of their keys and values in a
   * database that objects share, which are all read. Opens no file of an object.
   *
   * @param keys the objects, all of one namespace
   * @return the sizes in bytes, in the order of the keys
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.DataDirectoryException if the sizes cannot be read
   */
  long[] bytes(List<ObjectKey> keys);

  /**
   * Reads a part of the index of alarms.
   *
   * @param query which alarms
   * @return the alarms
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog cannot be read
   */
  List<AlarmEntry> alarms(AlarmQuery query);

  /**
   * Returns the alarms of a namespace, to arm or discard those that were given up.
   *
   * @param namespace the name of the namespace
   * @return its alarms
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   */
  NamespaceAlarms alarms(String namespace);

  /**
   * Reads an object in a separate turn, between its other turns.
   *
   * @param <R> what is read
   * @param key an object that exists; the turn of another one may create a file for it
   * @param reading reads, and writes nothing; may be called on any thread
   * @return what was read
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.ObjectException if the object cannot take a turn
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  <R> R read(ObjectKey key, Function<StoreTurn, R> reading);

  /**
   * Copies a state of an object. The object does not change; only the copying takes a turn of it.
   *
   * @param key the object
   * @param bookmark the state; null for the present
   * @return the copy; the caller closes it
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.ObjectException if the object cannot take a turn
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  PastImage image(ObjectKey key, @Nullable String bookmark);

  /**
   * Compares two states of an object, with their values.
   *
   * @param key the object
   * @param from a bookmark; null for the present
   * @param to another one, which may be earlier; null for the present
   * @param max how many differences are returned
   * @return the first ones: by table and key, and then alarms
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or a bookmark cannot
   *     be used
   * @throws dev.holdfast.ObjectException if the object cannot take a turn
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  List<StateDifference> differences(
      ObjectKey key, @Nullable String from, @Nullable String to, int max);

  /**
   * Changes an object in a separate turn, between its other turns, without its code. If something
   * was written, the object is reset then: what its instance remembers does not outlive the change.
   * Durable when this returns.
   *
   * @param <R> what is returned
   * @param key an object that exists
   * @param change reads and writes; what it has written is undone if it throws; may be called on
   *     any thread
   * @return what the change has returned
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.ObjectException if the object cannot take a turn
   * @throws IllegalArgumentException if the change leaves alarms that no object can have
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  <R> Changed<R> change(ObjectKey key, Function<StoreTurn, R> change);

  /**
   * Deletes an object, as {@link dev.holdfast.ObjectAdmin#delete} does.
   *
   * @param key the object
   * @return whether it existed
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.ObjectException if the object cannot be deleted
   * @throws IllegalStateException if the object is being restored or deleted at this moment
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  Changed<Boolean> delete(ObjectKey key);

  /**
   * What a change of an object has done.
   *
   * @param <R> what is returned
   * @param result what the change has returned
   * @param undo a bookmark of the state before; null if the namespace keeps no history, or nothing
   *     was written
   */
  record Changed<R>(R result, @Nullable String undo) {}

  /**
   * Returns a bookmark of the state that an object had at a position of the journal.
   *
   * @param key the object
   * @param position the last position that belongs to the state
   * @return the bookmark; whether the state can be restored is known when that is asked for
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  String bookmark(ObjectKey key, long position);

  /**
   * Returns whether a purge of the history of an object has not ended, whichever runtime of the
   * journal began it.
   *
   * @param key the object
   * @return whether there is one
   * @throws dev.holdfast.HoldfastException if this runtime has tried it and failed
   */
  boolean isPurging(ObjectKey key);

  /** {@return the purges that have taken something of the time whose records are kept} */
  List<Purge> purges();

  /**
   * Passes the objects whose last batch, as files have it, is after a position, deleted ones too.
   * What files lack is in the journal.
   *
   * @param position the position
   * @param visitor receives them, without their names
   * @return whether all are known: a backend may not say it
   * @throws dev.holdfast.errors.DataDirectoryException if a catalog cannot be read
   */
  boolean changedAfter(long position, Consumer<ObjectKey> visitor);

  /** {@return the journal} */
  JournalHistory journal();

  /**
   * Returns what a record states about the existence and the name of its object.
   *
   * @param record a record of the journal
   * @return the change; null if there is none
   * @throws IllegalArgumentException if a newer version has written the record
   */
  @Nullable ObjectPresence presenceIn(JournalRecord record);

  /**
   * {@return the storage engine whose batch a record is; null if it is none}
   *
   * @param record a record of the journal
   */
  @Nullable StorageKind storageOf(JournalRecord record);

  /**
   * {@return the storage engine whose data of all objects an operator gave up, as a record says;
   * null if it says nothing like it}
   *
   * @param record a record of the journal
   */
  @Nullable StorageKind givenUpIn(JournalRecord record);
}
