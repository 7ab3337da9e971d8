package dev.holdfast.cluster.status;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.LogEvent;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Looks once a second at what no call reports: which shards have no owner, how many bytes of the
 * disk are usable, and whether the files for TLS are. A look that hangs is not begun again.
 * Thread-safe.
 */
public final class NodeWatch implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long LOOK_NANOS = 1_000_000_000;

  /** Nodes are started one after the other, and then shards have their first elections. */
  private static final long OPENING_NANOS = 10_000_000_000L;

  /** What the disk said longer ago says nothing about now: it hangs. */
  private static final long USABLE_NANOS_MAX = 5_000_000_000L;

  private final String node;
  private final TimeSource time;
  private final Executor threads;
  private final Executor files;
  private final Duration failover;
  private final Supplier<List<Integer>> ownerless;
  private final UsableBytes disk;
  private final Supplier<Optional<String>> certificates;

  private final long openedNanos;
  private final AtomicBoolean isLooking = new AtomicBoolean();
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile Usable usable;
  private volatile Optional<String> certificateProblem = Optional.empty();
  private volatile boolean isClosed;

  // Guarded by this.
  private final Map<Integer, Long> ownerlessSince = new TreeMap<>();
  private boolean hasLooked;

  // Confined to one look at a time; isLooking orders them.
  private final Set<Integer> reported = new TreeSet<>();
  private int lackingMin = Integer.MAX_VALUE;
  private long progressNanos;

  /**
   * What the disk has said.
   *
   * @param bytes how many were usable; -1 if that was not found out
   * @param nanos when it was asked
   */
  private record Usable(long bytes, long nanos) {}

  /** Asks the file system. */
  @FunctionalInterface
  public interface UsableBytes {

    /**
     * Returns how much can be written, and may block.
     *
     * @return the bytes
     * @throws IOException if that cannot be found out
     */
    long ask() throws IOException;
  }

  /**
   * Creates it; {@link #begin} begins to look.
   *
   * @param node the name of the node
   * @param time the clock
   * @param threads run what waits for locks at most
   * @param files asks the disk, which may hang: not on a carrier of virtual threads, and nothing
   *     else, so that the answer is not late
   * @param failover how long a shard may have no owner before the log and health say so
   * @param ownerless the shards of which this node knows no owner, though its copy works
   * @param disk asks the disk
   * @param certificates looks at the files for TLS: what is wrong with them
   */
  public NodeWatch(
      String node,
      TimeSource time,
      Executor threads,
      Executor files,
      Duration failover,
      Supplier<List<Integer>> ownerless,
      UsableBytes disk,
      Supplier<Optional<String>> certificates) {
    this.node = node;
    this.time = time;
    this.openedNanos = time.monotonicNanos();
    this.threads = threads;
    this.files = files;
    this.failover = failover;
    this.ownerless = ownerless;
    this.disk = disk;
    this.certificates = certificates;
    this.usable = new Usable(-1, openedNanos);
  }

  /** Looks now, and again and again. */
  public void begin() {
    if (isClosed) {
      return;
    }
    try {
      executeUnlessRunning(isLooking, threads, this::lookForOwners);
      executeUnlessRunning(isAsking, files, this::askFiles);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The node is closed.", e);
      return;
    }
    // With the other looks of the node.
    long sinceLook = Math.floorMod(time.monotonicNanos(), LOOK_NANOS);
    time.schedule(LOOK_NANOS - sinceLook, this::begin);
  }

  private static void executeUnlessRunning(AtomicBoolean isRunning, Executor on, Runnable task) {
    if (isRunning.compareAndSet(false, true)) {
      on.execute(
          () -> {
            try {
              task.run();
            } finally {
              isRunning.set(false);
            }
          });
    }
  }

  private void lookForOwners() {
    List<Integer> found = unreported();
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
  List<Integer> unreported() {
    List<Integer> now = ownerless.get();
    reported.retainAll(now);
    Set<Integer> overdue = overdue(now);
    return isOpening(now.size()) ? List.of() : overdue.stream().filter(reported::add).toList();
  }

  /** While shards that had no owner before get one, others may be about to. */
  private boolean isOpening(int lacking) {
    long nanos = time.monotonicNanos();
    if (lacking < lackingMin) {
      progressNanos = lacking == 0 || lackingMin == Integer.MAX_VALUE ? openedNanos : nanos;
      lackingMin = lacking;
    }
    return nanos - progressNanos < Math.max(OPENING_NANOS, failover.toNanos());
  }

  /**
   * Looks which shards have had no owner for too long: for longer than a failover, because each
   * planned move takes a moment, or since the node was opened, because it has not worked before.
   *
   * @param now the shards of which this node knows no owner, though its copy works
   * @return those that have had none for too long
   */
  public synchronized Set<Integer> overdue(List<Integer> now) {
    long nanos = time.monotonicNanos();
    long since = hasLooked ? nanos : openedNanos;
    hasLooked = true;
    ownerlessSince.keySet().retainAll(now);
    now.forEach(shard -> ownerlessSince.putIfAbsent(shard, since));
    Set<Integer> overdue = new TreeSet<>();
    ownerlessSince.forEach(
        (shard, lost) -> {
          if (lost == openedNanos || nanos - lost >= failover.toNanos()) {
            overdue.add(shard);
          }
        });
    return overdue;
  }

  private void askFiles() {
    certificateProblem = certificates.get();
    long askedNanos = time.monotonicNanos();
    long bytes = -1;
    try {
      bytes = disk.ask();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The usable bytes of the disk of a node are not known.", e);
    }
    usable = new Usable(bytes, askedNanos);
  }

  /**
   * {@return how much can be written, in bytes, as the disk has said when it was asked at most 5
   * seconds ago; -1 if that is not known}
   */
  public long diskUsableBytes() {
    Usable said = usable;
    return time.monotonicNanos() - said.nanos() > USABLE_NANOS_MAX ? -1 : said.bytes();
  }

  /** {@return what was wrong with the files for TLS a second ago, or will be soon} */
  public Optional<String> certificateProblem() {
    return certificateProblem;
  }

  /** Looks no more. */
  @Override
  public void close() {
    isClosed = true;
  }
}
