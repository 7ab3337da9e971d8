package dev.holdfast.statistics;

import java.util.Map;

/**
 * What a node of a cluster does beside its own objects. Immutable. Counters begin when the node is
 * opened, and go on when its shards come and go. How long a commit takes, the size of a group and
 * how long a proof takes are in {@link JournalStatistics}.
 *
 * @param sent calls that this node has sent to others
 * @param received calls that others have sent to this node
 * @param ownerships how often this node took shards and gave them up
 * @param takeoverNanos how long each took: from the moment at which the log let this node take the
 *     shard until its objects were open, in nanoseconds
 * @param fetchedBytes what was read of copies on other nodes, in bytes: segments that this node
 *     lacked or that were damaged, and files of objects
 * @param eventsLeftOut how many published events this node has left out: for another node that was
 *     too slow or away, or for a listener here that was too slow, or that had heard of a later
 *     owner
 * @param lagEntries how many entries of its log the copy lacks that is furthest behind, of the
 *     shards of which this node knows it
 * @param lagBytes about how many bytes of journal the files of objects lack, over the shards that
 *     other nodes own: a takeover by this node has to redo them
 * @param clockAheadMillis how far the clock of each connected node is ahead of this one's, in
 *     milliseconds, by its name: measured when the connection was opened, and too small by the time
 *     that a message took
 * @param diskUsableBytes what can still be written to the disk of this node, in bytes, as it has
 *     said at most some seconds ago; -1 if that is not known
 */
public record ClusterStatistics(
    SentCalls sent,
    ReceivedCalls received,
    Ownerships ownerships,
    HistogramSnapshot takeoverNanos,
    long fetchedBytes,
    long eventsLeftOut,
    long lagEntries,
    long lagBytes,
    Map<String, Long> clockAheadMillis,
    long diskUsableBytes) {

  /** No cluster. */
  public static final ClusterStatistics NONE =
      new ClusterStatistics(
          new SentCalls(0, 0, 0, 0, 0, 0),
          new ReceivedCalls(0, 0, 0, 0),
          new Ownerships(0, 0, 0),
          HistogramSnapshot.EMPTY,
          0,
          0,
          0,
          0,
          Map.of(),
          -1);

  /** Copies the map. */
  public ClusterStatistics {
    clockAheadMillis = Map.copyOf(clockAheadMillis);
  }

  /**
   * How calls ended that were sent to other nodes: calls of objects, and calls that lists, {@code
   * ObjectAdmin} and {@code ObjectRecovery} make. A call counts once, however often it was tried.
   *
   * @param returned calls that returned
   * @param threw calls that ended with an exception
   * @param notDelivered calls that have not begun and will not: no owner took them in time, it
   *     cannot read them, or they are too long
   * @param unknown calls whose owner was lost before it answered
   * @param givenUp calls whose callers gave up, after a time-out or an interrupt
   * @param redirects answers of nodes that did not own the object
   */
  public record SentCalls(
      long returned, long threw, long notDelivered, long unknown, long givenUp, long redirects) {

    /**
     * Returns what happened after an earlier snapshot.
     *
     * @param earlier the earlier snapshot
     * @return the difference
     */
    public SentCalls minus(SentCalls earlier) {
      return new SentCalls(
          returned - earlier.returned,
          threw - earlier.threw,
          notDelivered - earlier.notDelivered,
          unknown - earlier.unknown,
          givenUp - earlier.givenUp,
          redirects - earlier.redirects);
    }
  }

  /**
   * How this node answered calls of other nodes. Calls with which their copies fetch what they lack
   * are not counted.
   *
   * @param returned calls that returned
   * @param threw calls that ended with an exception
   * @param redirected calls that have not begun: this node does not own the object
   * @param refused calls that have not begun for another reason, such as a namespace that is not
   *     registered here
   */
  public record ReceivedCalls(long returned, long threw, long redirected, long refused) {

    /**
     * Returns what happened after an earlier snapshot.
     *
     * @param earlier the earlier snapshot
     * @return the difference
     */
    public ReceivedCalls minus(ReceivedCalls earlier) {
      return new ReceivedCalls(
          returned - earlier.returned,
          threw - earlier.threw,
          redirected - earlier.redirected,
          refused - earlier.refused);
    }
  }

  /**
   * How often this node took shards and gave them up. What is left is the number of shards that are
   * open here.
   *
   * @param began shards whose objects were opened
   * @param moved shards that were given up as planned: by a transfer, a drain or the close
   * @param lost shards that ended otherwise: another node has taken them, or the copy has failed
   */
  public record Ownerships(long began, long moved, long lost) {

    /**
     * Returns what happened after an earlier snapshot.
     *
     * @param earlier the earlier snapshot
     * @return the difference
     */
    public Ownerships minus(Ownerships earlier) {
      return new Ownerships(began - earlier.began, moved - earlier.moved, lost - earlier.lost);
    }
  }

  /**
   * Returns what happened after an earlier snapshot: counters and histograms are subtracted, all
   * else comes from this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public ClusterStatistics minus(ClusterStatistics earlier) {
    return new ClusterStatistics(
        sent.minus(earlier.sent),
        received.minus(earlier.received),
        ownerships.minus(earlier.ownerships),
        takeoverNanos.minus(earlier.takeoverNanos),
        fetchedBytes - earlier.fetchedBytes,
        eventsLeftOut - earlier.eventsLeftOut,
        lagEntries,
        lagBytes,
        clockAheadMillis,
        diskUsableBytes);
  }
}
