package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.PurgedSegment;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.LogEntry.Extent;
import dev.holdfast.journal.replica.LogEntry.Purge;
import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.Purges.Pending;
import dev.holdfast.journal.replica.ReplicaSegments;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Removes from the segments of a copy what entries of the log have purged: the same bytes on every
 * replica, because a segment is written again if and only if it has records of the objects, with a
 * salt from the entry. An entry waits until {@code saved} has it, until the files of the objects on
 * this node need nothing up to its extents and are erased, and until no other node copies segments.
 * A crash in the middle leaves whole segments of before and of after; the next run does the rest.
 *
 * <p>{@link #goOn} is called by the saver, a segment at a time; the rest is thread-safe.
 */
public final class ReplicaPurge {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** What is held back is tried again after this time. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Files files;
  private final ShardHost host;
  private final ReplicaHistory history;
  private final ReplicaProgress progress;
  private final ReplicaSaver saver;
  private final CatchingUp catchingUp;
  private final AtomicBoolean isScheduled = new AtomicBoolean();

  /** The last purge for which the files of the objects are erased, in this run. */
  private volatile long erased;

  /** What is not registered on this node, and has files to be erased; null if there is nothing. */
  private volatile @Nullable String unknownNamespace;

  // Confined to the saver.
  private @Nullable Work work;
  private boolean isFailing;

  /** The files of a replica. */
  record Files(Disk disk, Segments segments, SegmentSupply supply, ReplicaSegments written) {}

  /**
   * The purge that is being done.
   *
   * @param left the segments that have not been looked at
   * @param written those of them that have records of the objects
   */
  private record Work(Pending purge, SortedSet<Long> left, Set<Long> written) {}

  /**
   * @param saver makes durable that a purge is done
   */
  ReplicaPurge(
      Files files,
      ShardHost host,
      ReplicaHistory history,
      ReplicaProgress progress,
      ReplicaSaver saver,
      CatchingUp catchingUp) {
    this.files = files;
    this.host = host;
    this.history = history;
    this.progress = progress;
    this.saver = saver;
    this.catchingUp = catchingUp;
  }

  // ---------------------------------------------------------------- files of the objects

  /**
   * What purges remove from files of objects.
   *
   * @param index the last purge, by its entry
   * @param keys the objects
   */
  public record Erasing(long index, Set<ObjectKey> keys) {

    /** Copies the set. */
    public Erasing {
      keys = Set.copyOf(keys);
    }
  }

  /**
   * {@return what is to be erased from the files of the objects on this node, which does not own
   * the shard; null if there is nothing}
   *
   * @param position the last record that the files have
   */
  public @Nullable Erasing erasing(long position) {
    long index = 0;
    Set<ObjectKey> keys = new HashSet<>();
    for (Pending each : progress.applied().purges().pending()) {
      if (each.entry().last() > position) {
        break;
      }
      index = each.index();
      each.entry().extents().forEach(extent -> keys.add(extent.key()));
    }
    return index > erased ? new Erasing(index, keys) : null;
  }

  /** {@return whether a purge waits until the files of the objects on this node are erased} */
  public boolean awaitsErasing() {
    Purges purges = progress.applied().purges();
    return purges.last() > erased && !purges.isDone() && progress.journal() == null;
  }

  /**
   * The files of the objects were brought forward, and are durably without what was to be erased.
   *
   * @param done what it was
   */
  public void erased(Erasing done) {
    erased = Math.max(erased, done.index());
    unknownNamespace = null;
    saver.saveSoon();
  }

  /**
   * The files of the objects could not be erased: this node does not know their storage.
   *
   * @param namespace the name of their namespace
   * @throws NullPointerException if it is null
   */
  public void unknown(String namespace) {
    if (!namespace.equals(unknownNamespace)) {
      unknownNamespace = namespace;
      LOG.log(Level.WARNING, waitsFor(namespace));
    }
  }

  /** {@return why a purge waits for the application of this node; null if it does not} */
  public @Nullable String waitsFor() {
    String namespace = unknownNamespace;
    return namespace == null || progress.journal() != null ? null : waitsFor(namespace);
  }

  private String waitsFor(String namespace) {
    return "A purge of histories waits for node "
        + host.node()
        + ": the namespace \""
        + namespace
        + "\" is not registered there, so what its files have of them is not erased. Register it"
        + " as on the other nodes.";
  }

  /** Fails while the files of the objects may have what was purged from the segments here. */
  void requireErased() {
    ShardJournal current = progress.journal();
    if (current != null) {
      current.requireErased();
    }
  }

  // ---------------------------------------------------------------- segments

  /** Does a part of the oldest purge, if nothing holds it back. On the saver. */
  void goOn() {
    Pending next = progress.durable().point().purges().first();
    if (next == null || !next.equals(progress.applied().purges().first())) {
      work = null; // what was fetched from another node is without it
      return;
    }
    if (isHeld(next)) {
      lookAgain();
      return;
    }
    SegmentHistory past = history.known();
    if (past == null) {
      return;
    }
    try {
      if (doPart(next, past)) {
        progress.purged();
        saver.saveSoon();
      } else {
        saver.run(this::goOn); // other shards of the node have a turn in between
      }
      isFailing = false;
    } catch (IOException | JournalCorruptException | DataDirectoryException e) {
      work = null;
      if (!isFailing) {
        LOG.log(
            Level.WARNING,
            "What was purged stays in "
                + files.segments().directory()
                + " for now; it is tried again.",
            e);
      }
      isFailing = true;
      lookAgain();
    }
  }

  private boolean isHeld(Pending next) {
    boolean isErased = progress.journal() != null || erased >= next.index();
    return !isErased
        || progress.durable().lowWaterMark() <= next.entry().last()
        || history.copiedFrom() != Long.MAX_VALUE
        || catchingUp.isFetching();
  }

  private void lookAgain() {
    if (isScheduled.compareAndSet(false, true)) {
      host.time()
          .schedule(
              RETRY_NANOS,
              () -> {
                isScheduled.set(false);
                saver.saveIfOpen();
              });
    }
  }

  /** {@return whether the purge is done} */
  private boolean doPart(Pending next, SegmentHistory past) throws IOException {
    Work doing = work;
    if (doing == null || !doing.purge().equals(next)) {
      doing =
          new Work(
              next, new TreeSet<>(full()), PurgedSegment.withRecords(past, extents(next.entry())));
      work = doing;
    }
    if (doing.left().isEmpty()) {
      work = null;
      if (!catchingUp.discardFetched()) {
        throw new IOException("segments of another node are being fetched");
      }
      return true;
    }
    long segment = doing.left().removeFirst();
    Purge entry = next.entry();
    if (segment < entry.segment() && doing.written().contains(segment)) {
      past.purge(segment, extents(entry), entry.saltOf(segment), files.supply().unfinishedFile());
    } else {
      Long after = files.segments().after(segment);
      if (after != null && past.holds(segment)) {
        PurgedSegment.eraseRest(files.disk(), past.fileOf(segment), after);
      }
    }
    return false;
  }

  /**
   * From here on nothing of an older segment is in a newer one: room that was a segment is gone,
   * and what is not used of the newest one is zeros.
   *
   * @return the segments that are full
   */
  private List<Long> full() throws IOException {
    files.supply().discardUsed();
    progress.lock().lock(); // nothing is written meanwhile
    try {
      files.written().eraseRest(progress.applied());
      return files.segments().entirelyBefore(progress.applied().segment());
    } finally {
      progress.lock().unlock();
    }
  }

  private static Map<ObjectKey, Long> extents(Purge entry) {
    Map<ObjectKey, Long> extents = new HashMap<>();
    for (Extent each : entry.extents()) {
      extents.merge(each.key(), each.upTo(), Math::max);
    }
    return extents;
  }

  /**
   * {@return the last purge of which nothing is left here, by the index of its entry; the same
   * negative while the log may have some of it, and nothing else; 0 if there is none}
   */
  long purged() {
    Purges purges = progress.durable().point().purges();
    if (!purges.isDone() || !progress.applied().purges().isDone() || catchingUp.isFetching()) {
      return 0;
    }
    return progress.startedLog().mayHave(purges.done()) ? -purges.done() : purges.done();
  }
}
