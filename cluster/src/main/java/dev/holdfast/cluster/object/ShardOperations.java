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
import dev.holdfast.storage.ListOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a shard does for every node, beside the calls of its objects. Each method is
 * that of the same name in the API, for the part of a namespace that is in the shard, or for one of
 * its objects. Arguments and results travel as those of calls.
 */
public interface ShardOperations {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  String TARGET = "$shard";

  Page<ObjectId> list(String namespace, ObjectListOptions options);

  Page<AlarmStatus> pending(String namespace, Optional<String> cursor, int limit);

  Page<AlarmStatus> abandoned(String namespace, Optional<String> cursor, int limit);

  boolean rearm(String namespace, ObjectId id, String name, Instant time);

  boolean discard(String namespace, ObjectId id, String name);

  /**
   * Moves the shard. Not proven afterwards: the ownership is over.
   *
   * @return the node that has taken it; empty if none has in time
   */
  String transfer(String node);

  /** {@return the names of the nodes that keep the shard} */
  List<String> memberNames();

  /**
   * Adds a node; without effect if it keeps the shard already.
   *
   * @param member {@code name=host:port}
   */
  void addMember(String member);

  /**
   * Removes a node; without effect if it does not keep the shard.
   *
   * @param node its name
   * @return false if that is the owner: the shard must be moved before
   */
  boolean removeMember(String node);

  /**
   * Reads a sealed segment, for a node whose own is damaged.
   *
   * @param segment its first position
   * @param offset in the file
   * @return the next bytes; none at the end
   */
  byte[] segment(long segment, long offset);

  boolean exists(String namespace, ObjectId id);

  long size(String namespace, ObjectId id);

  List<String> keys(String namespace, ObjectId id, ListOptions options);

  List<String> tables(String namespace, ObjectId id);

  Map<String, Long> versions(String namespace);

  /** Migrates some objects; the report has a cursor if there may be more in the shard. */
  MigrationReport migrateSome(String namespace, boolean isDryRun, Optional<String> cursor);

  boolean evict(String namespace, ObjectId id);

  boolean reset(String namespace, ObjectId id);

  String restoreNow(String namespace, ObjectId id, String bookmark);

  boolean delete(String namespace, ObjectId id);

  List<ConsumerStatus> consumers();

  void resetConsumer(String topic, String consumer, ConsumerStart start);

  boolean removeConsumer(String topic, String consumer);

  String bookmarkForTime(String namespace, ObjectId id, Instant time);

  /**
   * @param from null for the latest changes
   */
  HistoryPage history(String namespace, ObjectId id, int limit, @Nullable String from);

  List<Restoration> restorations(String namespace, ObjectId id);

  String restoreOnNextSession(String namespace, ObjectId id, String bookmark);

  boolean withdrawRestore(String namespace, ObjectId id);

  List<Difference> diff(String namespace, ObjectId id, String from, String to);

  void fork(String namespace, ObjectId id, String bookmark, String name);
}
