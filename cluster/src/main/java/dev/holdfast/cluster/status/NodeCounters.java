package dev.holdfast.cluster.status;

import dev.holdfast.spi.statistics.HistogramRecorder;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.ClusterStatistics.Ownerships;
import dev.holdfast.statistics.ClusterStatistics.ReceivedCalls;
import dev.holdfast.statistics.ClusterStatistics.SentCalls;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a node does beside its own objects. Thread-safe; no method blocks. */
public final class NodeCounters {

  /** How a call ends that was sent to another node. */
  public enum Sent {
    /** It returned. */
    RETURNED,
    /** It ended with an exception. */
    THREW,
    /** It has not begun and will not: no owner took it in time, it is too long, or unreadable. */
    NOT_DELIVERED,
    /** Its owner was lost before it answered. */
    UNKNOWN,
    /** Its caller gave up. */
    GIVEN_UP
  }

  /** How this node answers a call of another one. */
  public enum Received {
    /** It returned. */
    RETURNED,
    /** It ended with an exception. */
    THREW,
    /** It has not begun: this node does not own the object. */
    REDIRECTED,
    /** It has not begun for another reason. */
    REFUSED
  }

  // Never changed, and found by an index: each call is counted.
  private final EnumMap<Sent, LongAdder> sent = adders(Sent.class);
  private final EnumMap<Received, LongAdder> received = adders(Received.class);
  private final LongAdder redirects = new LongAdder();
  private final LongAdder began = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();
  private final LongAdder eventsLeftOut = new LongAdder();
  private final HistogramRecorder takeoverNanos = new HistogramRecorder();

  /** Creates counters that are zero. */
  public NodeCounters() {}

  private static <K extends Enum<K>> EnumMap<K, LongAdder> adders(Class<K> type) {
    EnumMap<K, LongAdder> adders = new EnumMap<>(type);
    for (K each : type.getEnumConstants()) {
      adders.put(each, new LongAdder());
    }
    return adders;
  }

  /**
   * Counts a call that was sent to another node, at its end.
   *
   * @param how how it has ended
   */
  public void sent(Sent how) {
    of(sent, how).increment();
  }

  /** Counts an answer of a node that does not own the object. */
  public void redirected() {
    redirects.increment();
  }

  /**
   * Counts a call of another node, when it is answered.
   *
   * @param how how it is answered
   */
  public void received(Received how) {
    of(received, how).increment();
  }

  /**
   * Counts a shard whose objects this node has opened.
   *
   * @param nanos how long that took
   */
  void began(long nanos) {
    began.increment();
    takeoverNanos.record(nanos);
  }

  /**
   * Counts a shard whose objects this node has closed.
   *
   * @param asPlanned whether that was planned
   */
  void ended(boolean asPlanned) {
    (asPlanned ? moved : lost).increment();
  }

  /**
   * Counts what was read of a copy on another node, also to replace a damaged segment.
   *
   * @param bytes how much
   */
  public void fetched(long bytes) {
    fetchedBytes.add(bytes);
  }

  /**
   * Counts events that another node, or a listener of this one, does not get.
   *
   * @param events how many
   */
  public void eventsLeftOut(long events) {
    eventsLeftOut.add(events);
  }

  /**
   * {@return what was counted so far}
   *
   * @param lagEntries what the copy lacks that is furthest behind
   * @param lagBytes what the files lack of the shards that other nodes own
   * @param clockAheadMillis how far the clocks of other nodes are ahead
   * @param diskUsableBytes what can still be written to the disk; -1 if that is not known
   */
  public ClusterStatistics snapshot(
      long lagEntries, long lagBytes, Map<String, Long> clockAheadMillis, long diskUsableBytes) {
    return new ClusterStatistics(
        new SentCalls(
            of(sent, Sent.RETURNED).sum(),
            of(sent, Sent.THREW).sum(),
            of(sent, Sent.NOT_DELIVERED).sum(),
            of(sent, Sent.UNKNOWN).sum(),
            of(sent, Sent.GIVEN_UP).sum(),
            redirects.sum()),
        new ReceivedCalls(
            of(received, Received.RETURNED).sum(),
            of(received, Received.THREW).sum(),
            of(received, Received.REDIRECTED).sum(),
            of(received, Received.REFUSED).sum()),
        new Ownerships(began.sum(), moved.sum(), lost.sum()),
        takeoverNanos.snapshot(),
        fetchedBytes.sum(),
        eventsLeftOut.sum(),
        lagEntries,
        lagBytes,
        clockAheadMillis,
        diskUsableBytes);
  }

  private static <K extends Enum<K>> LongAdder of(EnumMap<K, LongAdder> adders, K key) {
    return Objects.requireNonNull(adders.get(key), "each constant has one");
  }
}
