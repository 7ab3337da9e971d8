package dev.holdfast.cluster.status;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.LogEvent;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Looks once a second at what nobody calls for: which shards have no owner, and how much room the
 * disk has. Thread-safe.
 */
public final class NodeWatch implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long LOOK_NANOS = 1_000_000_000;

  /** Nodes are started one after the other, and then each shard has its first election. */
  private static final long OPENING_NANOS = 10_000_000_000L;

  private final String node;
  private final TimeSource time;
  private final Executor threads;
  private final Executor files;
  private final Duration failover;
  private final Supplier<List<Integer>> ownerless;
  private final Room room;

  private final long openedNanos;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile long diskUsableBytes = -1;
  private volatile boolean isClosed;

  // Guarded by this.
  private final Map<Integer, Long> ownerlessSince = new TreeMap<>();
  private final Set<Integer> reported = new TreeSet<>();

  /** Asks the file system. */
  @FunctionalInterface
  public interface Room {

    /**
     * Returns how much can be written, and may block.
     *
     * @return the bytes
     * @throws IOException if that cannot be found out
     */
    long usableBytes() throws IOException;
  }

  /**
   * Creates it; {@link #begin} begins to look.
   *
   * @param node the name of the node
   * @param time the clock
   * @param threads run what does not block
   * @param files runs what may: not on a carrier of virtual threads
   * @param failover how long a shard may have no owner without a line in the log
   * @param ownerless the shards of which this node knows no owner, though its copy works
   * @param room asks the disk
   */
  public NodeWatch(
      String node,
      TimeSource time,
      Executor threads,
      Executor files,
      Duration failover,
      Supplier<List<Integer>> ownerless,
      Room room) {
    this.node = node;
    this.time = time;
    this.openedNanos = time.monotonicNanos();
    this.threads = threads;
    this.files = files;
    this.failover = failover;
    this.ownerless = ownerless;
    this.room = room;
  }

  /** Looks now, and again and again. */
  public void begin() {
    if (isClosed) {
      return;
    }
    try {
      threads.execute(this::lookForOwners);
      if (isAsking.compareAndSet(false, true)) { // else the disk hangs
        files.execute(this::askDisk);
      }
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The node is closed.", e);
      return;
    }
    time.schedule(LOOK_NANOS, this::begin);
  }

  private void lookForOwners() {
    List<Integer> found = overdue();
    if (!found.isEmpty() && !isClosed) {
      LogEvent event = LogEvent.SHARD_WITHOUT_OWNER;
      LOG.log(
          event.level(),
          () ->
              event.line(
                  "Node "
                      + node
                      + " has known no owner of shard "
                      + found.stream().map(String::valueOf).collect(Collectors.joining(", "))
                      + " for longer than "
                      + failover.toMillis()
                      + " ms. Calls of its objects wait for one, until their time is over. If no"
                      + " node takes it, start nodes until a majority runs."));
    }
  }

  /** {@return the shards that have had no owner for too long; each once, until it has one again} */
  synchronized List<Integer> overdue() {
    List<Integer> now = ownerless.get();
    ownerlessSince.keySet().retainAll(now);
    reported.retainAll(now);
    long nanos = time.monotonicNanos();
    return now.stream()
        .filter(
            shard -> {
              long since = ownerlessSince.computeIfAbsent(shard, _ -> nanos);
              return nanos - openedNanos >= OPENING_NANOS
                  && nanos - since >= failover.toNanos()
                  && reported.add(shard);
            })
        .toList();
  }

  private void askDisk() {
    try {
      diskUsableBytes = room.usableBytes();
    } catch (IOException e) {
      diskUsableBytes = -1;
      LOG.log(Level.DEBUG, "The room on the disk of a node is not known.", e);
    } finally {
      isAsking.set(false);
    }
  }

  /** {@return how much can be written, in bytes, as last asked; -1 if that is not known} */
  public long diskUsableBytes() {
    return diskUsableBytes;
  }

  /** Looks no more. */
  @Override
  public void close() {
    isClosed = true;
  }
}
