package dev.holdfast.runtime.internal.gate;

import dev.holdfast.Consistency;
import dev.holdfast.spi.Journal;

/**
 * Holds every message that leaves an object until what it depends on is durable.
 *
 * <p>A reply that left before its write could be seen by a client and then be lost in a crash: the
 * client would know more than the disk. All batches of a runtime have positions in one journal, a
 * crash loses only a suffix of it, and so "everything this object's state depends on is durable" is
 * one number, {@link #position}: the highest position among
 *
 * <ul>
 *   <li>the object's own batches, except batches of unconfirmed writes alone (a later confirmed
 *       batch covers them all the same, because its position is higher);
 *   <li>what it has received from others: with a call, the position of the caller; with a reply, a
 *       value as much as an exception, the position of the callee. What an object has only read and
 *       not written is covered by that: its position says which batches its message depends on.
 * </ul>
 *
 * <p>An instance begins with the position that its predecessors ended with: it reads what they
 * wrote, and that may not be durable yet.
 *
 * <p>A message takes a snapshot of the number when it is produced, at the end of the turn that
 * produced it, and waits for that: later writes of the object do not hold it back, and a failure of
 * later writes does not harm it.
 *
 * <p>Between two objects of one runtime nothing waits: the number travels with the message instead,
 * and only the last step, out of the runtime, waits once for all of it. That is why a chain of ten
 * objects costs one sync.
 *
 * <p>Where another runtime may take over the objects, a message without a write waits as well,
 * until it is proven that this runtime still had them: otherwise it could have a state that the
 * other one has changed. A reply of an object with {@link Consistency#LEASE} takes the lease of the
 * journal for a proof, while it runs. Work outside never does.
 *
 * <p>The wait itself has no time-out, other than in the reference runtime: a reset cannot take a
 * batch back that has its position, and the fresh instance would wait for the same one. A caller
 * that wants a bound uses {@link dev.holdfast.ObjectStub#withTimeout} (ADR 2).
 *
 * <p>Raised only by the thread that holds the object's turn; any thread may read the position and
 * wait for it.
 */
public final class OutputGate {

  private final Journal journal;

  /** Volatile, not guarded: a reset from outside the turn reads it. */
  private volatile long position = Journal.START;

  /** The last batch of this object, confirmed or not, or a later one. Confined to the turn. */
  private long sealedPosition = Journal.START;

  /**
   * Creates an open gate.
   *
   * @param journal what makes things durable
   */
  public OutputGate(Journal journal) {
    this.journal = journal;
  }

  /**
   * Records what may not be durable yet of what earlier instances have left.
   *
   * @param dependency what their messages depended on
   * @param batchPosition their last batch, unconfirmed writes included
   */
  public void inherit(long dependency, long batchPosition) {
    raiseTo(dependency);
    sealedPosition = Math.max(sealedPosition, batchPosition);
  }

  /**
   * Records a batch of this object.
   *
   * @param batchPosition where it is in the journal
   * @param confirmed whether messages are to wait for it
   */
  public void raiseToOwn(long batchPosition, boolean confirmed) {
    sealedPosition = Math.max(sealedPosition, batchPosition);
    if (confirmed) {
      raiseTo(batchPosition);
    }
  }

  /**
   * Records that this object now depends on something in the journal.
   *
   * @param dependency the position; {@link Journal#START} for nothing
   */
  public void raiseTo(long dependency) {
    if (dependency > position) {
      // Not atomic, and need not be: only the holder of the turn gets here.
      position = dependency;
    }
  }

  /** {@return what a message that is produced now depends on} */
  public long position() {
    return position;
  }

  /**
   * {@return the last batch of this object, unconfirmed writes included; a later position if an
   * earlier instance has written it}
   */
  public long sealedPosition() {
    return sealedPosition;
  }

  /**
   * {@return whether a message may leave now}
   *
   * @param dependency the snapshot the message took
   * @param consistency what the message waits for where another runtime may take over
   */
  public boolean isOpenFor(long dependency, Consistency consistency) {
    return isDurable(dependency)
        && (!journal.needsProof() || (consistency == Consistency.LEASE && journal.isLeased()));
  }

  private boolean isDurable(long dependency) {
    return dependency <= Journal.START || dependency <= journal.durablePosition();
  }

  /**
   * Blocks until a message may leave.
   *
   * @param dependency the snapshot the message took
   * @param consistency what the message waits for where another runtime may take over
   * @throws dev.holdfast.errors.JournalFailedException if it never may
   */
  public void await(long dependency, Consistency consistency) {
    if (isOpenFor(dependency, consistency)) {
      return;
    }
    if (consistency == Consistency.LEASE && !isDurable(dependency)) {
      journal.awaitDurable(dependency);
      if (isOpenFor(dependency, consistency)) {
        return; // the lease runs from the proposal of what was waited for
      }
    }
    awaitLeaving(journal, dependency);
  }

  /**
   * Blocks until it is known that no other runtime has taken over the data: for code that begins by
   * itself, and whose effects outside cannot be held back as a reply can.
   *
   * @param journal of the runtime
   * @throws dev.holdfast.errors.JournalFailedException if another one has, or the journal fails
   */
  public static void awaitOwnership(Journal journal) {
    if (journal.needsProof()) {
      journal.awaitProven(Journal.START);
    }
  }

  /**
   * Blocks until what depends on a position may leave the runtime of a journal.
   *
   * @param journal of the runtime
   * @param dependency the position
   * @throws dev.holdfast.errors.JournalFailedException if it never may
   */
  public static void awaitLeaving(Journal journal, long dependency) {
    if (journal.needsProof()) {
      journal.awaitProven(dependency);
    } else {
      journal.awaitDurable(dependency);
    }
  }
}
