package dev.holdfast;

import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.storage.ListOptions;
import java.time.Duration;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;

/**
 * What operators do with objects, and with consumers of events, while the runtime runs.
 *
 * <pre>{@code
 * ObjectAdmin admin = runtime.admin();
 * String yesterday = runtime.recovery("counters", id).bookmarkForTime(time);
 * String undo = admin.restoreNow("counters", id, yesterday);
 * }</pre>
 *
 * <p>All methods block. They are called from outside of all objects.
 *
 * <p><b>Reset.</b> {@link #reset}, {@link #restoreNow} and {@link #delete} reset an object that is
 * in memory. The writes of the running turn are dropped and its SQL statement is stopped. Calls in
 * flight and waiting calls fail with {@link InstanceResetException}. Critical sections and timers
 * end, and no code of the instance begins another turn. Java code cannot be stopped: a turn that
 * neither uses its context nor ends keeps the next instance waiting, and {@link #restoreNow} and
 * {@link #delete} with it.
 *
 * <p>Thread-safe.
 */
public interface ObjectAdmin {

  /**
   * Returns whether an object has data or alarms. Does not start it.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether the object has something durable; false if it was never written, was deleted,
   *     or has deleted everything itself
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   */
  boolean exists(String namespace, ObjectId id);

  /**
   * Returns how much an object has stored. Reads in a turn of the object that runs no code of it.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return the bytes of its database without free pages, or of its keys and values if its
   *     namespace has no SQL; 0 if it does not exist
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   * @throws ObjectException if the object cannot take a turn: it was reset, or its storage fails
   */
  long size(String namespace, ObjectId id);

  /**
   * Lists keys of an object. Reads in a turn of the object that runs no code of it: the answer has
   * all keys at once, so give a limit for an object with many.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param options which keys, in which order, and how many
   * @return the keys; empty if the object does not exist
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   * @throws ObjectException if the object cannot take a turn: it was reset, or its storage fails
   */
  List<String> keys(String namespace, ObjectId id, ListOptions options);

  /**
   * Lists the tables of an object. Reads in a turn of the object that runs no code of it, and runs
   * no migrations: the tables are those that are stored.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return the names of the tables; empty if the object does not exist, or its namespace has no
   *     SQL
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   * @throws ObjectException if the object cannot take a turn: it was reset, or its storage fails
   */
  List<String> tables(String namespace, ObjectId id);

  /**
   * Counts the objects of a namespace by the last migration that each has run. Opens every object,
   * one after the other, and runs no migrations.
   *
   * @param namespace the name of the namespace
   * @return for the name of each last step how many objects there are, in the order of the steps;
   *     the empty text for objects that have run none
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   * @throws ObjectException if an object cannot take a turn
   */
  SequencedMap<String, Long> versions(String namespace);

  /**
   * Runs the migrations of a namespace on all its objects now, one object after the other, instead
   * of each at its next use. Runs no other code of the application; other calls of the objects go
   * on between the turns. An object that fails stays as it was before its step, and the run goes
   * on.
   *
   * <pre>{@code
   * MigrationReport tried = admin.migrateAll("carts", MigrationOptions.DEFAULT.asDryRun());
   * if (tried.failed() == 0) {
   *   admin.migrateAll("carts", MigrationOptions.DEFAULT.withProgress(this::show));
   * }
   * }</pre>
   *
   * <p>A dry run runs the steps on the data of each object and takes them back; an object waits
   * while its steps run. Nothing of it is durable, also after a crash.
   *
   * <p>A run that has ended early continues with {@link MigrationOptions#withCursor}; without it,
   * all objects are visited again, and those that are current need no write. Interrupting the
   * calling thread ends the run after the object in hand.
   *
   * @param namespace the name of the namespace
   * @param options which objects, whether only to try, and a receiver of progress
   * @return what was done; durable when this returns
   * @throws IllegalArgumentException if the cursor of the options is none
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   */
  MigrationReport migrateAll(String namespace, MigrationOptions options);

  /**
   * Removes the history of an object: all earlier states, and the undo that leads back to them. To
   * forget an object as a whole, {@link #delete} it first. The present state and the alarms stay,
   * and so does the name of an object that has either.
   *
   * <p>When this returns, the end of the history is durable: no bookmark, history, comparison or
   * fork gives out an earlier state, and a requested restore is withdrawn. Bookmarks of later
   * states work.
   *
   * <p>When the future completes, the bytes of the history are in no file of the data directory:
   * the object's data are written again, files of the journal that have its records are replaced,
   * and logs and tables of the storage engine that may have them are removed. So are the alarms
   * that the object had, with their names and headers, and the name of a deleted object, from the
   * directory of objects. Its id stays, in the record that says so: a name that can be guessed can
   * be recognised by it. Other objects go on; on SQLite none can be opened while the directory is
   * written again, about a second for a million objects. If the process ends before, the next
   * opening continues. While a backup is made, and until records are archived and events consumed,
   * the bytes stay. What the object writes after this call is never part of the purge, however late
   * that ends.
   *
   * <p>Purges that are requested before the first of them has ended share the work: each file of
   * the journal is replaced once for all of them.
   *
   * <p>An archive keeps what it has until {@link #purgeArchive}. Backups keep what they have:
   * delete those that have the object's past.
   *
   * @param namespace the name of the object's namespace
   * @param id the object; it may have been deleted
   * @return completes when the bytes are gone, durably; fails with a {@link HoldfastException} if
   *     that is not possible, and then the call can be repeated; also while a storage backend of
   *     somebody else is in the runtime, which keeps all of its records
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws IllegalStateException if another thread restores, deletes or purges the object at this
   *     moment; nothing has changed
   * @throws ObjectException if the object cannot take a turn: it was reset, or its storage fails
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  CompletableFuture<Void> purgeHistory(String namespace, ObjectId id);

  /**
   * Deletes every moment before now from the archive of the runtime. What was purged from the
   * history of objects until now is in no entry of the archive when the future completes: a base
   * image of the present state is made, and everything older is deleted, also what other
   * directories have archived there. Later moments are restorable.
   *
   * <p>Other calls go on. While a backup is made, and until events are consumed, the old entries
   * stay. A runtime that is closed meanwhile does not continue: repeat the call.
   *
   * @return completes with the first position that the archive still has; fails with an {@link
   *     dev.holdfast.errors.ArchiveException} if the archive was stopped or the runtime is closed
   *     before, and with an {@link IllegalStateException} if the runtime has no archive
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  CompletableFuture<Long> purgeArchive();

  /**
   * Lists what runs now: calls, alarms, tasks and timers that have begun and not ended, also in an
   * instance that was reset and whose code does not end. In a cluster, the executions of the
   * objects that this node owns. Takes no turn of an object.
   *
   * @param age only those that are known to have run as long; {@link Duration#ZERO} for all
   * @param withStacks whether to take the stacks of their threads
   * @return the executions, the oldest first
   * @throws IllegalArgumentException if the age is negative
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  List<ExecutionStatus> executions(Duration age, boolean withStacks);

  /**
   * Takes an idle object out of memory, as its idle time-out does. Nothing is lost: the next call
   * starts a fresh instance from the stored state.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return true if the object is not in memory now; false if it runs, waits, or has timers or
   *     tasks
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  boolean evict(String namespace, ObjectId id);

  /**
   * Resets an object that is in memory; see above. Does not wait for a running turn. Sealed turns
   * stay.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether there was an instance to reset
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  boolean reset(String namespace, ObjectId id);

  /**
   * Restores an object to an earlier state now: resets it, see above, and restores it before any
   * other code of it runs. Durable when this returns. Replaces a restore that was requested before;
   * a restore that is requested at the same moment can replace this one.
   *
   * <p>If the process ends, or the wait is interrupted, before this returns, the request may stay.
   * Then the object is restored at its next use, unless {@link
   * dev.holdfast.recovery.ObjectRecovery#withdrawRestore} withdraws the request.
   *
   * @param namespace the name of the object's namespace
   * @param id the object; it need not be in memory, and may have been deleted
   * @param bookmark the state to restore
   * @return a bookmark of the state just before the restore
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws BookmarkException if the namespace keeps no history, or the bookmark cannot be used;
   *     nothing has changed
   * @throws IllegalStateException if another thread restores or deletes the object at this moment;
   *     nothing has changed
   * @throws dev.holdfast.errors.StorageFailedException if the restore fails; the object keeps its
   *     present state, and nothing is requested
   * @throws dev.holdfast.errors.CallInterruptedException if the thread is interrupted while it
   *     waits
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the next opening
   *     shows whether the object was restored
   */
  String restoreNow(String namespace, ObjectId id, String bookmark);

  /**
   * Deletes an object: its keys, values and tables, its alarms, its entry in the catalog, and a
   * requested restore. One batch, durable when this returns. Resets the object; see above. The
   * history stays for the recovery window, so {@link #restoreNow} with an earlier bookmark undoes
   * the deletion. A later call finds a new, empty object.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether the object existed; if not, nothing was written
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws IllegalStateException if another thread restores or deletes the object at this moment;
   *     nothing has changed
   * @throws dev.holdfast.errors.StorageFailedException if the object cannot be deleted; it is
   *     unchanged
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   * @throws dev.holdfast.errors.CallInterruptedException if the thread is interrupted while it
   *     waits
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the next opening
   *     shows whether the object was deleted
   */
  boolean delete(String namespace, ObjectId id);

  /**
   * Lists the consumers of events that the data directory knows, running or not. Takes no lock that
   * a call needs.
   *
   * @return the consumers, by topic and name
   */
  List<ConsumerStatus> consumers();

  /**
   * Moves a consumer to another place. Durable when this returns. It may run; a delivery that is
   * under way ends as it began. A consumer that was cut off receives events again; if it was cut
   * off while it ran, call {@link ObjectRuntime#consume} again.
   *
   * @param topic its topic
   * @param consumer its name
   * @param start its new place
   * @throws dev.holdfast.errors.ConsumerException if the data directory does not know it
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the next opening
   *     shows whether it was moved
   */
  void resetConsumer(String topic, String consumer, ConsumerStart start);

  /**
   * Forgets a consumer: no event is kept for it any more. Durable when this returns.
   *
   * @param topic its topic
   * @param consumer its name
   * @return whether the data directory knew it
   * @throws dev.holdfast.errors.ConsumerException if it runs: close its subscription first
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the next opening
   *     shows whether it was removed
   */
  boolean removeConsumer(String topic, String consumer);

  /**
   * Lets alarms fire that {@link AlarmOptions#withHeld} holds back. Does nothing if they fire
   * already.
   *
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.MisuseException if an object of the runtime calls
   */
  void startAlarms();
}
