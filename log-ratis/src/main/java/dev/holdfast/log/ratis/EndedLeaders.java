package dev.holdfast.log.ratis;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Has the members of this node stand for election soon when the process of their leader has ended,
 * and not after the time in which a leader may be silent.
 *
 * <p>Two things together say that a process has ended: the connection on which it has sent entries
 * has ended, and its address refuses another one. A machine that is lost, a network that is cut and
 * a process that is paused refuse nothing: there the election timeouts of Ratis decide, as before.
 *
 * <p>Nothing else is decided here. Members ask for votes before votes, so in a shard whose leader
 * others hear nobody is elected. The members of a shard stand one after the other, so that they do
 * not split the votes, and once each, in an order that differs from shard to shard. Thread-safe.
 */
final class EndedLeaders {

  /** How often a node is looked at that has ended; after that the timeouts of Ratis decide. */
  static final int LOOKS_MAX = 40;

  /** A process ends its connections one after the other, perhaps the address last. */
  static final int ANSWERS_MAX = 4;

  /** How many looks each member of a shard has for its election. */
  static final int TURN_LOOKS = 3;

  private static final long LOOK_MILLIS_MAX = 100;

  private final long lookMillis;
  private final Supplier<? extends Collection<? extends Follower>> followers;
  private final Address address;
  private final Timer timer;
  private final Set<RaftPeerId> watched = ConcurrentHashMap.newKeySet();

  /** A member of a shard on this node. */
  interface Follower {

    /** {@return whether this one still follows the other node; not once it has stood itself} */
    boolean lacksLeader(RaftPeerId ended);

    /** {@return where the log of another member is} Only if it is a member. */
    String addressOf(RaftPeerId other);

    /** {@return its place among the members but that one, each in its own order in each shard} */
    Turn turn(RaftPeerId ended);

    /**
     * Votes for another member, if asked, although it has just heard that leader.
     *
     * @param silentMillis not if it has heard the leader, or voted, in this time
     */
    void forget(RaftPeerId ended, long silentMillis);

    /**
     * Asks the others whether they would vote for it.
     *
     * @param silentMillis not if it has heard a leader, or voted, in this time
     */
    void stand(RaftPeerId ended, long silentMillis);
  }

  /**
   * When a member stands.
   *
   * @param place from 0
   * @param places how many there are
   */
  record Turn(int place, int places) {}

  /** Looks whether a process listens at an address. */
  @FunctionalInterface
  interface Address {

    /** {@return whether its machine says that nobody listens there} May block a little. */
    boolean isRefused(String address);
  }

  /** Runs tasks later, on threads that may block. */
  @FunctionalInterface
  interface Timer {

    /** Runs a task after a time. */
    void after(long millis, Runnable task);
  }

  /**
   * Creates it.
   *
   * @param failoverMillis the greatest election timeout
   * @param followers the members of all shards on this node
   * @param address looks at addresses
   * @param timer runs the looks
   */
  EndedLeaders(
      long failoverMillis,
      Supplier<? extends Collection<? extends Follower>> followers,
      Address address,
      Timer timer) {
    this.lookMillis = Math.clamp(failoverMillis / 20, 1, LOOK_MILLIS_MAX);
    this.followers = followers;
    this.address = address;
    this.timer = timer;
  }

  /** A connection on which another node has sent entries has ended. Returns at once. */
  void connectionEnded(RaftPeerId leader) {
    if (watched.add(leader)) {
      timer.after(0, () -> look(leader, 0, 0));
    }
  }

  /**
   * Looks at a node.
   *
   * @param looks how often its address has refused
   * @param answers how often in a row somebody has listened there
   */
  private void look(RaftPeerId leader, int looks, int answers) {
    boolean goesOn = false;
    try {
      List<? extends Follower> lacking =
          followers.get().stream().filter(each -> each.lacksLeader(leader)).toList();
      if (lacking.isEmpty() || looks == LOOKS_MAX || answers == ANSWERS_MAX) {
        return;
      }
      boolean isRefused = address.isRefused(lacking.getFirst().addressOf(leader));
      if (isRefused) {
        // A slow disk holds the members of one shard, and others do not wait for it.
        lacking.forEach(each -> timer.after(0, () -> step(each, leader, looks)));
      }
      timer.after(
          lookMillis,
          () -> look(leader, isRefused ? looks + 1 : looks, isRefused ? 0 : answers + 1));
      goesOn = true;
    } finally {
      if (!goesOn) {
        watched.remove(leader); // also after an error: the next end is looked at again
      }
    }
  }

  private void step(Follower follower, RaftPeerId ended, int looks) {
    // A member that has voted gives the other one time.
    long silentMillis = looks == 0 ? 0 : TURN_LOOKS * lookMillis;
    follower.forget(ended, silentMillis);
    Turn turn = follower.turn(ended);
    // Not at the first look: the others have to learn it, too.
    if (looks > 0 && (looks - 1) % (TURN_LOOKS * turn.places()) == TURN_LOOKS * turn.place()) {
      follower.stand(ended, silentMillis);
    }
  }
}
