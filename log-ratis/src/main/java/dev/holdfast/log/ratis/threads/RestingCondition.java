package dev.holdfast.log.ratis.threads;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.DataBlockingQueue;

/**
 * What the writer of a log waits for, which in Ratis 3.3.0 looks once a second for entries though
 * each of them is signalled. Thread-safe.
 */
@SuppressWarnings("WaitNotInLoop") // the queue has the loops
public final class RestingCondition implements Condition {

  private final Lock lock;
  private final Condition signalled;
  private volatile boolean isEnding;

  private RestingCondition(Lock lock, Condition signalled) {
    this.lock = lock;
    this.signalled = signalled;
  }

  /**
   * Lets the writer of a log rest. One that waits just now is signalled as before.
   *
   * @param division has the log
   * @return what ends the rests
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  public static RestingCondition takeOver(RaftServer.Division division) {
    Object writer = RatisInternals.valueOf(division.getRaftLog(), "fileLogWorker");
    return takeOver((DataBlockingQueue<?>) RatisInternals.valueOf(writer, "queue"));
  }

  /**
   * Lets the reader of a queue rest.
   *
   * @param queue the queue
   * @return what ends the rests
   */
  public static RestingCondition takeOver(DataBlockingQueue<?> queue) {
    RestingCondition resting =
        new RestingCondition(
            (Lock) RatisInternals.valueOf(queue, "lock"),
            (Condition) RatisInternals.valueOf(queue, "notEmpty"));
    RatisInternals.set(queue, "notEmpty", resting);
    return resting;
  }

  /** Ends the rests: the writer looks once a second whether it is to end. */
  public void end() {
    lock.lock();
    try {
      isEnding = true;
      signalled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long awaitNanos(long nanos) throws InterruptedException {
    long more = isEnding ? 0 : Math.max(0, LatchedSignal.REST_NANOS - nanos);
    long left = signalled.awaitNanos(nanos + more);
    return isEnding ? 0 : left - more;
  }

  @Override
  public void await() throws InterruptedException {
    signalled.await();
  }

  @Override
  public void awaitUninterruptibly() {
    signalled.awaitUninterruptibly();
  }

  @Override
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    return awaitNanos(unit.toNanos(time)) > 0;
  }

  @Override
  public boolean awaitUntil(Date deadline) throws InterruptedException {
    return signalled.awaitUntil(deadline);
  }

  @Override
  public void signal() {
    signalled.signal();
  }

  @Override
  public void signalAll() {
    signalled.signalAll();
  }
}
