package dev.holdfast.cluster.object;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.Page;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.storage.ListOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a shard does for every node, beside the calls of its objects. A method that the
 * API has under the same name does the same for the part of a namespace that is in the shard, or
 * for one of its objects, and fails as the API says. Arguments and results travel as those of calls
 * do.
 *
 * <p>At another node each method waits for the answer of the owner, and fails with {@link
 * dev.holdfast.cluster.errors.ObjectUnavailableException} if no owner gives one.
 */
public interface ShardOperations {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  String TARGET = "$shard";

  /**
   * Lists the objects of a namespace that exist in the shard.
   *
   * @param namespace the name of the namespace
   * @param options which objects, and the size of the page
   * @return a page of their ids
   * @throws IllegalArgumentException if the cursor is malformed
   */
  Page<ObjectId> list(String namespace, ObjectListOptions options);

  /**
   * Lists the alarms of the shard that will fire, by due time.
   *
   * @param namespace the name of the namespace
   * @param cursor the cursor of the previous page; empty for the first page
   * @param limit the largest number of alarms in the page: 1 to {@link
   *     dev.holdfast.NamespaceAlarms#PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is malformed, or the limit is out of its range
   */
  Page<AlarmStatus> pending(String namespace, Optional<String> cursor, int limit);

  /**
   * Lists the alarms of the shard that were given up, by the time when they were given up.
   *
   * @param namespace the name of the namespace
   * @param cursor the cursor of the previous page; empty for the first page
   * @param limit the largest number of alarms in the page: 1 to {@link
   *     dev.holdfast.NamespaceAlarms#PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is malformed, or the limit is out of its range
   */
  Page<AlarmStatus> abandoned(String namespace, Optional<String> cursor, int limit);

  /**
   * Sets an alarm that was given up again, with all its retries. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param name the name of the alarm; empty for the alarm of {@code setAlarm}
   * @param time when it fires; a time in the past means at once
   * @return true if the alarm was set; false if no such alarm was given up
   * @throws IllegalArgumentException if the time is after 2262-04-11
   */
  boolean rearm(String namespace, ObjectId id, String name, Instant time);

  /**
   * Deletes an alarm that was given up. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param name the name of the alarm; empty for the alarm of {@code setAlarm}
   * @return true if the alarm was deleted; false if no such alarm was given up
   */
  boolean discard(String namespace, ObjectId id, String name);

  /**
   * Moves the shard. Not proven afterwards: the ownership is over.
   *
   * @param node the name of the node that is to own it
   * @return the name of the node that has taken it; empty if the node is not connected, or none has
   *     taken it in time
   */
  String transfer(String node);

  /** {@return the last record that is durable: all that was acknowledged before the call is} */
  long position();

  /** {@return the names of the nodes that keep the shard} */
  List<String> memberNames();

  /**
   * Adds a node; without effect if it keeps the shard already.
   *
   * @param member {@code name=host:port}
   */
  void addMember(String member);

  /**
   * Removes a node whose copy is not needed any more: the others are there and have caught up.
   * Without effect if it does not keep the shard.
   *
   * @param node its name
   * @param left how many nodes keep the shard afterwards, at least
   * @return whether it keeps the shard no more; not if it is its owner: the shard is moved before
   * @throws dev.holdfast.cluster.errors.ClusterException if it cannot be removed
   */
  boolean removeCopy(String node, int left);

  /**
   * Removes a node whose copy is lost.
   *
   * @param node its name
   * @throws dev.holdfast.cluster.errors.ClusterException if it cannot be removed
   */
  void removeLost(String node);

  /**
   * Has a node give a copy up that is not one of the shard's.
   *
   * @param node its name
   * @throws dev.holdfast.cluster.errors.ClusterException if a change is under way
   */
  void dismissCopy(String node);

  /**
   * Changes what operators have said about placement; of the first shard.
   *
   * @param last what it is to follow, as {@link dev.holdfast.cluster.placement.PlacementRules} has
   *     it as text
   * @param next what is said
   * @return what was written
   * @throws dev.holdfast.cluster.errors.ClusterException {@code NOT_CHANGED} if something else was
   *     said last; {@code NO_MAJORITY}
   */
  String changeRules(String last, String next);

  /**
   * Reads a sealed segment, for a node whose own is damaged.
   *
   * @param segment its first position
   * @param offset in the file
   * @return the next bytes; none at the end
   */
  byte[] segment(long segment, long offset);

  /** {@return the last purge that the sealed segments are without; -1 while one is being done} */
  long purgedSegments();

  /**
   * Ends the history of an object, durably, and begins to remove the bytes of its past.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   */
  void purgeHistory(String namespace, ObjectId id);

  /**
   * Purges the archive of the shard, as {@link dev.holdfast.ObjectAdmin#purgeArchive} says. Returns
   * at once: ask again until the purge has ended. An owner that was not asked before begins.
   *
   * @param number names the purge; random
   * @return the first position that the archive has; 0 while it is being purged
   * @throws dev.holdfast.errors.ArchiveException if the purge has failed
   * @throws IllegalStateException if the shard has no archive
   */
  long purgeArchive(long number);

  /**
   * Says whether a purge of the history of an object has not ended, whichever owner began it.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether there is one
   */
  boolean isPurging(String namespace, ObjectId id);

  /**
   * Performs an operation for operators on the part of the objects that is in the shard.
   *
   * @param request as {@link ShardAnswers} writes it
   * @return the answers
   * @throws dev.holdfast.operator.OperatorException if the request is wrong, or the operation fails
   */
  byte[] operate(byte[] request);

  /** {@return the numbers of the runtime that has the objects of the shard; not proven} */
  RuntimeStatistics statistics();

  /**
   * Says whether an object has data or alarms. Does not start it.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether the object has something durable
   */
  boolean exists(String namespace, ObjectId id);

  /**
   * Measures what an object has stored.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return in bytes; 0 if the object does not exist
   */
  long size(String namespace, ObjectId id);

  /**
   * Lists keys of an object.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param options which keys, in which order, and how many
   * @return the keys; empty if the object does not exist
   */
  List<String> keys(String namespace, ObjectId id, ListOptions options);

  /**
   * Lists the stored tables of an object. Runs no migrations.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return their names; empty if the object does not exist, or its namespace has no SQL
   */
  List<String> tables(String namespace, ObjectId id);

  /**
   * Counts the objects of a namespace in the shard by the last migration that each has run. Opens
   * every object, one after the other.
   *
   * @param namespace the name of the namespace
   * @return the number of objects by the name of their last step, in the order of the steps; the
   *     empty text for objects that have run none
   */
  Map<String, Long> versions(String namespace);

  /**
   * Migrates some objects of the shard, one after the other: not all at once, so that the caller
   * hears of the progress.
   *
   * @param namespace the name of the namespace
   * @param isDryRun whether to take the steps back once they were tried
   * @param cursor the cursor of the previous report; empty for the first objects
   * @return what was done; with a cursor if there may be more in the shard
   * @throws IllegalArgumentException if the cursor is malformed
   */
  MigrationReport migrateSome(String namespace, boolean isDryRun, Optional<String> cursor);

  /**
   * Takes an idle object out of memory.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return true if the object is not in memory now; false if it runs, waits, or has timers or
   *     tasks
   */
  boolean evict(String namespace, ObjectId id);

  /**
   * Resets an object that is in memory. Does not wait for a running turn.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether there was an instance to reset
   */
  boolean reset(String namespace, ObjectId id);

  /**
   * Restores an object to an earlier state now. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param bookmark the state to restore
   * @return a bookmark of the state just before the restore
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws IllegalStateException if another thread restores or deletes the object at this moment
   */
  String restoreNow(String namespace, ObjectId id, String bookmark);

  /**
   * Deletes an object with its alarms; its history stays. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether the object existed
   * @throws IllegalStateException if another thread restores or deletes the object at this moment
   */
  boolean delete(String namespace, ObjectId id);

  /** {@return the consumers of events that the shard knows, running or not, by topic and name} */
  List<ConsumerStatus> consumers();

  /**
   * Moves a consumer to another place in the events of the shard. Durable when this returns.
   *
   * @param topic its topic
   * @param consumer its name
   * @param start its new place
   * @throws dev.holdfast.errors.ConsumerException if the shard does not know it
   */
  void resetConsumer(String topic, String consumer, ConsumerStart start);

  /**
   * Forgets a consumer: the shard keeps no events for it any more. Durable when this returns.
   *
   * @param topic its topic
   * @param consumer its name
   * @return whether the shard knew it
   * @throws dev.holdfast.errors.ConsumerException if it runs
   */
  boolean removeConsumer(String topic, String consumer);

  /**
   * Finds the last state of an object at or before a time.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param time within the recovery window, not in the future
   * @return a bookmark of the state
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the time lies
   *     outside it
   */
  String bookmarkForTime(String namespace, ObjectId id, Instant time);

  /**
   * Lists changes of an object.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param limit the largest number of changes, 1 to 1,000
   * @param from a bookmark: the change that made this state comes first; null for the latest
   *     changes
   * @return the changes, newest first
   * @throws IllegalArgumentException if the limit is out of its range
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  HistoryPage history(String namespace, ObjectId id, int limit, @Nullable String from);

  /**
   * Lists the restores of an object in the history that is kept.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return the restores, oldest first
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  List<Restoration> restorations(String namespace, ObjectId id);

  /**
   * Requests that an object is restored at its next start. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param bookmark the state to restore
   * @return a bookmark of the state just before the restore
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  String restoreOnNextSession(String namespace, ObjectId id, String bookmark);

  /**
   * Withdraws a requested restore. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return whether a restore was requested
   */
  boolean withdrawRestore(String namespace, ObjectId id);

  /**
   * Compares two states of an object.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param from a bookmark
   * @param to another bookmark; it may be the earlier one
   * @return the keys and rows that differ, ordered by table and key
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  List<Difference> diff(String namespace, ObjectId id, String from, String to);

  /**
   * Creates a new object of the same namespace from a state of this one. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param bookmark the state
   * @param name the name of the new object, which must be in the same shard
   * @throws IllegalStateException if the new object has data already, or another fork creates it at
   *     this moment
   * @throws IllegalArgumentException if the name has a lone surrogate
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  void fork(String namespace, ObjectId id, String bookmark, String name);

  /**
   * Creates a new object as {@link #fork(String, ObjectId, String, String)} does, near another one.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param bookmark the state
   * @param name the name of the new object
   * @param near an id in the same shard, of any namespace
   * @throws IllegalStateException if the new object has data already, or another fork creates it at
   *     this moment
   * @throws IllegalArgumentException if the name has a lone surrogate
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  void fork(String namespace, ObjectId id, String bookmark, String name, ObjectId near);

  /**
   * Exports an object into a file of the owner, which stays until {@link #endFile}, or until nobody
   * has asked for it in two minutes.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file: random, chosen by the caller
   * @return what the file has
   * @throws dev.holdfast.ObjectFileException if the file cannot be written
   */
  FileSum exportFile(String namespace, ObjectId id, long number);

  /**
   * Reads a file that was exported. Not proven: the file is what it is.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file
   * @param offset in the file
   * @return the next bytes, at most 1 MiB; none at the end
   * @throws dev.holdfast.ObjectFileException if there is no such file any more, as on the next
   *     owner
   */
  byte[] readFile(String namespace, ObjectId id, long number, long offset);

  /**
   * Begins a file to be imported; it stays as one that is exported does.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file: random, chosen by the caller
   * @param bytes how much is sent
   * @throws dev.holdfast.ObjectFileException if there is no room for it
   */
  void beginFile(String namespace, ObjectId id, long number, long bytes);

  /**
   * Writes a part of a file to be imported. Not proven.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file
   * @param suffix empty for the file, or what the name of a file beside it ends with
   * @param offset in the file
   * @param bytes at most 1 MiB
   * @throws dev.holdfast.ObjectFileException if there is no such file any more, or it cannot be
   *     written
   */
  void writeFile(
      String namespace, ObjectId id, long number, String suffix, long offset, byte[] bytes);

  /**
   * Imports a file that was sent. Durable when this returns.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file
   * @param sums what the file, and each beside it, must have, by the endings of their names
   * @throws dev.holdfast.ObjectFileException if there is no such file any more, it is not what was
   *     sent, or it cannot be imported; nothing has changed
   */
  void importFile(String namespace, ObjectId id, long number, Map<String, FileSum> sums);

  /**
   * Forgets a file that was exported or sent; without effect if there is none. Not proven.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @param number of the file
   */
  void endFile(String namespace, ObjectId id, long number);
}
