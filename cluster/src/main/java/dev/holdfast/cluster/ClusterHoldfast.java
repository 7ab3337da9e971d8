package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.ArchiveRestore;
import dev.holdfast.archiver.ClusterArchive;
import dev.holdfast.cluster.member.AdoptedDirectory;
import dev.holdfast.cluster.member.NodeBackup;
import dev.holdfast.cluster.member.RestoredDirectory;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.recovery.Backup;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.verify.ShardSplit;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens durable objects on several machines. */
public final class ClusterHoldfast {

  private ClusterHoldfast() {}

  /**
   * Opens a node: takes part in the logs of all shards, and takes calls. Returns before the shards
   * have owners; {@link ClusterRuntime#awaitReady} waits for that, and calls do.
   *
   * @param directory the node's directory; created if missing. It belongs to this node for ever.
   *     One that has files of something else, or of a single machine, is refused; {@code
   *     lost+found} and names that begin with a dot do not count
   * @param options the cluster, this node and the members
   * @param objects registers namespaces and options, the same on all nodes; called now, before any
   *     file is touched, and whenever this node takes a shard
   * @return the node
   * @throws IllegalArgumentException if the options do not fit
   * @throws dev.holdfast.errors.NamespaceException if a namespace is malformed or registered twice
   * @throws dev.holdfast.DirectoryInUseException if another process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is one of another node,
   *     cluster or number of shards, of a single machine or of something else, or cannot be used
   * @throws dev.holdfast.HoldfastException if a log that was there is missing or damaged
   * @throws dev.holdfast.cluster.errors.ClusterException {@code PLAINTEXT}, or a reason of the
   *     certificates, if these are missing or cannot be used; {@code UNREACHABLE} if the address is
   *     taken; {@code UNSUPPORTED} if an option has no effect in a cluster; {@code MEMBER_COUNT} or
   *     {@code MEMBERS} if a cluster cannot begin with this list. What other members answer that
   *     are there: {@code CLUSTER_NAME}, {@code SHARDS}, {@code MEMBERS}, {@code NODE_ID}, {@code
   *     INCARNATION}, {@code CLOCK}, {@code VERSION}, {@code RECOVERED}, {@code REMOVED}, and those
   *     of certificates
   */
  public static ClusterRuntime open(
      Path directory, ClusterOptions options, Consumer<ObjectRegistrar> objects) {
    return ClusterNode.open(directory, options, objects, new SecureRandom());
  }

  /**
   * Connects a client: it calls the objects of a cluster, and keeps none. Returns when a member has
   * answered; shards may have no owners yet, for which {@link ClusterClient#awaitReady} waits, and
   * calls do.
   *
   * @param options the cluster, {@link ClusterOptions#client} and some of the members; the others
   *     are learnt
   * @param objects registers the namespaces that are called, by their interfaces; called now
   * @return the client
   * @throws IllegalArgumentException if the options do not fit
   * @throws dev.holdfast.errors.NamespaceException if a namespace is malformed or registered twice
   * @throws dev.holdfast.cluster.errors.ClusterException {@code PLAINTEXT}, or a reason of the
   *     certificates, if these are missing or cannot be used; {@code UNREACHABLE} if no member
   *     answers within {@link ClusterOptions#withRouteTimeout}. What members answer if none can
   *     work with this client: {@code CLUSTER_NAME}, {@code NODE_ID}, {@code INCARNATION} or {@code
   *     REMOVED} if the name is one of a member or of a removed one, {@code VERSION}, and those of
   *     certificates
   */
  public static ClusterClient connect(ClusterOptions options, Consumer<ClientRegistrar> objects) {
    return ConnectedClient.connect(options, objects, new SecureRandom());
  }

  /**
   * Makes the data directory of a single machine that of the first node of a cluster of one shard,
   * with all objects, their history, alarms, events and bookmarks. Then it is opened with the same
   * options, and other nodes are added ({@link ClusterRuntime#add}). There is no way back: {@link
   * dev.holdfast.embedded.Holdfast#open} refuses the directory from then on.
   *
   * <p>If the process ends in between, the directory is still that of a single machine, or already
   * that of the node. Doing it again does the rest.
   *
   * <p>The whole journal is read and checked, and so are the files of the objects if it has dropped
   * its beginning; nothing is copied.
   *
   * @param directory the data directory, which is closed
   * @param options the cluster and the node, which is the only member, with one shard
   * @return the position of the last record; 0 if there is none
   * @throws IllegalArgumentException if the options name more members or more shards
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if it is no data directory, is that of
   *     another node, is damaged, or cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is not the one that belongs
   *     to the directory
   */
  public static long adopt(Path directory, ClusterOptions options) {
    if (options.shards() != 1 || options.isAdded() || options.addresses().size() != 1) {
      throw new IllegalArgumentException(
          "A data directory becomes the first node of a cluster of one shard: name this node alone"
              + " in members, and withShards(1). The others are added later");
    }
    return AdoptedDirectory.adopt(
        new FileDisk(),
        directory.toAbsolutePath(),
        options.cluster(),
        options.self(),
        new SecureRandom());
  }

  /**
   * {@return how many shards the cluster had that has archived at a place; 0 if a single machine
   * has archived there}
   *
   * @param archive the archive; not closed
   * @throws dev.holdfast.errors.ArchiveException if it cannot be read
   */
  public static int archivedShards(ArchiveStore archive) {
    return ClusterArchive.isOne(archive) ? ClusterArchive.read(archive).identity().shards() : 0;
  }

  /**
   * Makes a cluster of any number of shards from the archive of a cluster ({@link
   * dev.holdfast.RuntimeOptions#withArchive}) or of a single machine: makes the directory of the
   * first node of a new cluster, with all objects as they were at a moment. Then it is opened with
   * the same options, and other nodes are added ({@link ClusterRuntime#add}). Each shard that was
   * archived is read as its last archived record at or before the moment has left it.
   *
   * <p>With as many shards as a cluster had, its bookmarks and its archive go on. Otherwise objects
   * are divided among the shards, as {@link #restore(Path, Path, ClusterOptions, RestoreRequest)}
   * does with what a single machine has. Where objects of several shards come together, a consumer
   * goes on with the first event of any of them that it has not handled: later ones may be
   * delivered again.
   *
   * <p>The directory appears when it is complete and durable. A restore that fails or is killed
   * leaves none, and can be repeated. Blocks.
   *
   * @param archive the archive, where all nodes have archived; not closed
   * @param directory of the node; missing or empty
   * @param options the new cluster and the node, which is the only member
   * @param request the latest state or a time, of all objects; hears of the progress of one shard
   *     after the other
   * @return what was restored, in the order of the shards
   * @throws IllegalArgumentException if the options name more members, or the request asks for a
   *     part or for a position
   * @throws dev.holdfast.errors.ArchiveException if the archive cannot be read, is damaged, or does
   *     not cover the moment
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is not empty, or cannot be
   *     written; with another number of shards also if a purge is not done in the archive, or it
   *     has a storage of somebody else
   * @throws dev.holdfast.DirectoryInUseException if another restore to the directory is under way
   */
  public static List<RestoreResult> restore(
      ArchiveStore archive, Path directory, ClusterOptions options, RestoreRequest request) {
    requireFirst(options);
    Path target = directory.toAbsolutePath();
    return ClusterArchive.isOne(archive)
        ? restoring(
            (host, random) ->
                RestoredDirectory.restore(host, archive, target, owner(options), request, random))
        : restoring(
            (host, random) ->
                RestoredDirectory.divide(
                    host,
                    new SingleArchive(archive, host),
                    target,
                    owner(options),
                    request,
                    random));
  }

  /**
   * Makes a cluster of any number of shards from what a single machine has: the directory of the
   * first node of a new cluster, with the objects of a data directory that no runtime has open, or
   * of a backup of one, their history, alarms, events and the places of their consumers. Then it is
   * opened with the same options, and other nodes are added ({@link ClusterRuntime#add}).
   *
   * <p>Lost are the texts of bookmarks: positions are other ones, and a bookmark from before is
   * refused. {@link dev.holdfast.recovery.ObjectRecovery#bookmarkForTime} gives new ones for the
   * same moments. Consumers go on where they were; what they have handled, also out of the order of
   * other shards, stays handled.
   *
   * <p>The directory appears when it is complete and durable. A restore that fails or is killed
   * leaves none, and can be repeated; no byte of the source changes. For a moment other than the
   * latest one, a copy of the source is made first. Blocks.
   *
   * @param source the data directory, or the backup
   * @param directory of the node; missing or empty
   * @param options the new cluster and the node, which is the only member
   * @param request the latest state or a time, of all objects; hears of the progress
   * @return the last position of each shard, and its size in bytes
   * @throws IllegalArgumentException if the options name more members, or the request asks for a
   *     part or for a position
   * @throws dev.holdfast.errors.DataDirectoryException if the source is damaged, is the directory
   *     of a node, has a purge that is not done or a storage of somebody else; or the directory is
   *     not empty, or cannot be written
   * @throws dev.holdfast.DirectoryInUseException if a runtime has the source open, or another
   *     restore to the directory is under way
   */
  public static List<RestoreResult> restore(
      Path source, Path directory, ClusterOptions options, RestoreRequest request) {
    requireFirst(options);
    return restoring(
        (host, random) ->
            RestoredDirectory.divide(
                host,
                new SingleDirectory(source.toAbsolutePath()),
                directory.toAbsolutePath(),
                owner(options),
                request,
                random));
  }

  /**
   * Checks what {@link #restore(Path, Path, ClusterOptions, RestoreRequest)} would read, and
   * changes nothing.
   *
   * @param source the data directory, or the backup
   * @return the last position, and the size of what would be read
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be restored
   * @throws dev.holdfast.DirectoryInUseException if a runtime has it open
   */
  public static RestoreResult checkRestore(Path source) {
    try (ShardSplit split = ShardSplit.open(new FileDisk(), source.toAbsolutePath())) {
      ShardSplit.Contents found = split.contents();
      return new RestoreResult(
          0, found.lastPosition(), found.journalBytes() + found.fileBytes(), List.of());
    }
  }

  private static void requireFirst(ClusterOptions options) {
    if (options.isAdded() || options.addresses().size() != 1) {
      throw new IllegalArgumentException(
          "The directory belongs to the first node of a new cluster: name this node alone in"
              + " members. The others are added later");
    }
  }

  private static RestoredDirectory.Owner owner(ClusterOptions options) {
    return new RestoredDirectory.Owner(options.cluster(), options.self(), options.shards());
  }

  private interface Restoring {
    List<RestoreResult> run(ArchiveRestore.Host host, SecureRandom random);
  }

  private static List<RestoreResult> restoring(Restoring work) {
    SecureRandom random = new SecureRandom();
    try (SystemTimeSource time = new SystemTimeSource()) {
      return work.run(
          new ArchiveRestore.Host(new FileDisk(), time.wallMillis(), random::nextLong), random);
    }
  }

  /** The archive of a single machine. */
  private record SingleArchive(ArchiveStore archive, ArchiveRestore.Host host)
      implements RestoredDirectory.Single {

    @Override
    public @Nullable Path directory() {
      return null;
    }

    @Override
    public Path whole(Path work, RestoreRequest request) {
      Path whole = work.resolve("whole");
      new ArchiveRestore(archive, host).run(whole, request.target(), null, request.progress());
      return whole;
    }
  }

  /** A data directory of a single machine, or a backup. */
  private record SingleDirectory(Path directory) implements RestoredDirectory.Single {

    @Override
    public Path whole(Path work, RestoreRequest request) {
      if (request.target() instanceof RestoreTarget.Latest) {
        return directory;
      }
      Path whole = work.resolve("whole");
      Holdfast.restore(directory, whole, request);
      return whole;
    }
  }

  /**
   * Makes a backup of the directory of a node that does not run: it has all shards and their logs,
   * and is made as a whole each time. It is never opened as that node: others have its votes and
   * acknowledgements by then. {@link #recover} makes a new cluster of one of it. Blocks.
   *
   * @param directory the directory of the node
   * @param target the directory of the backup; missing or empty
   * @return the backup
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws dev.holdfast.errors.BackupException if the target is not empty, or files cannot be read
   *     or written
   * @throws dev.holdfast.errors.DataDirectoryException if the directory is not one of a node, or
   *     cannot be read
   */
  public static Backup backup(Path directory, Path target) {
    try (SystemTimeSource time = new SystemTimeSource()) {
      return NodeBackup.make(
          directory.toAbsolutePath().normalize(),
          target.toAbsolutePath().normalize(),
          Instant.ofEpochMilli(time.wallMillis()));
    }
  }

  /**
   * Makes a new cluster of one from the directory of a node, after the majority of its cluster is
   * lost for good. The node keeps all that its copies and their logs have: also what a majority
   * perhaps did not have, whose outcome was unknown. What the lost nodes have acknowledged without
   * this one is lost. It is opened with itself as the only member.
   *
   * <p>The other nodes of the old cluster must never run again: as long as a majority of them does,
   * it goes on with other objects under the same name. Nodes of the old cluster and of the new one
   * refuse each other.
   *
   * <p>If the process ends in between, the directory is still one of the old cluster, or cannot be
   * opened until this is called again.
   *
   * @param directory of the node, which is closed
   * @param isDamageAccepted whether a copy may be used whose log is missing or damaged at its end:
   *     it may lack what this node has acknowledged
   * @return what the copies have, in the order of the shards
   * @throws dev.holdfast.DirectoryInUseException if a process has the directory open
   * @throws dev.holdfast.errors.DataDirectoryException if it is not a directory of a node that has
   *     taken part in a cluster, a log has lost entries, or a file cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if the newest segment of a copy is damaged
   */
  public static List<RecoveredShard> recover(Path directory, boolean isDamageAccepted) {
    return new LastNode(directory.toAbsolutePath(), new FileDisk(), new SecureRandom())
        .recover(isDamageAccepted);
  }
}
