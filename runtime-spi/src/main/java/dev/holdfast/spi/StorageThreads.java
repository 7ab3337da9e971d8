package dev.holdfast.spi;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounded sets of platform threads for native calls that may block. One pool runs the runtime's own
 * calls: opening, checkpointing, saving, closing. Two others run the SQL of applications, which may
 * take any time: statements and migrations. Commits and openings of other objects never wait for
 * those two.
 *
 * <p>A native call that blocks pins the carrier of a virtual thread. Two such calls on the two
 * carriers of a small machine stop every other virtual thread (measured: no progress at all), so
 * such calls never run on a virtual thread. Thread-safe.
 */
public final class StorageThreads implements AutoCloseable {

  private static final long IDLE_SECONDS = 60;

  private final ExecutorService pool;
  private final ExecutorService sql;
  private final ExecutorService migrations;

  /** Whether virtual threads run their own native calls. */
  private final boolean onCaller;

  /**
   * Starts the pool with all its threads, because a thread that is created only when needed may not
   * be available then. The SQL threads are created when needed.
   *
   * @param threadsMax maximum number of native calls of each kind that may block at once; at least
   *     1
   * @throws IllegalArgumentException if it is less than 1
   */
  public StorageThreads(int threadsMax) {
    ThreadPoolExecutor own = pool(threadsMax, "holdfast-storage-");
    own.prestartAllCoreThreads();
    this.pool = own;
    this.sql = passingPool(threadsMax, "holdfast-sql-");
    this.migrations = passingPool(threadsMax, "holdfast-migration-");
    this.onCaller = false;
  }

  private StorageThreads(ThreadFactory threads) {
    this.pool = Executors.newThreadPerTaskExecutor(threads);
    this.sql = pool;
    this.migrations = pool;
    this.onCaller = true;
  }

  /**
   * Returns threads for a simulation, in which one thread runs at a time: each caller runs its own
   * native calls, and scheduled work has a separate thread.
   *
   * @param threads makes those threads
   * @return the threads
   */
  public static StorageThreads simulated(ThreadFactory threads) {
    return new StorageThreads(threads);
  }

  private static ThreadPoolExecutor passingPool(int threadsMax, String name) {
    ThreadPoolExecutor pool = pool(threadsMax, name);
    pool.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadPoolExecutor pool(int threadsMax, String name) {
    return new ThreadPoolExecutor(
        threadsMax,
        threadsMax,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        Thread.ofPlatform().daemon().name(name, 0).factory());
  }

  /**
   * Runs blocking native work: on the calling thread if it is a platform thread, on the pool if it
   * is virtual. Interrupts do not end the wait, because the work would go on without an owner; the
   * interrupt flag is kept.
   *
   * @param <T> the result
   * @param work the work
   * @return its result
   * @throws Exception the exception of the work
   */
  public <T> T run(Callable<T> work) throws Exception {
    if (onCaller || !Thread.currentThread().isVirtual()) {
      return work.call();
    }
    return await(pool.submit(work));
  }

  /**
   * Runs application SQL that may take long: like {@link #run}, but on threads that nothing else
   * uses.
   *
   * @param <T> the result
   * @param work the work
   * @return its result
   * @throws Exception the exception of the work
   */
  public <T> T runSql(Callable<T> work) throws Exception {
    if (onCaller || !Thread.currentThread().isVirtual()) {
      return work.call();
    }
    return await(sql.submit(work));
  }

  /**
   * Runs a migration that may take long: like {@link #runSql}, but an object that is being opened
   * never waits for statements of other objects.
   *
   * @param <T> the result
   * @param work the work
   * @return its result
   * @throws Exception the exception of the work
   */
  public <T> T runMigration(Callable<T> work) throws Exception {
    if (onCaller || !Thread.currentThread().isVirtual()) {
      return work.call();
    }
    return await(migrations.submit(work));
  }

  /**
   * Schedules work on the pool.
   *
   * @param work handles its own failures
   * @throws java.util.concurrent.RejectedExecutionException if the threads have ended
   */
  public void execute(Runnable work) {
    pool.execute(work);
  }

  /**
   * Schedules work on the pool unless it is already scheduled.
   *
   * @param due set by this method, and cleared again if the work could not be scheduled, for lack
   *     of memory for example: otherwise it would never be scheduled again. The work clears it when
   *     it begins
   * @param work handles its own failures
   * @return whether it was scheduled; false if it already was
   * @throws java.util.concurrent.RejectedExecutionException if the threads have ended
   */
  public boolean execute(AtomicBoolean due, Runnable work) {
    if (!due.compareAndSet(false, true)) {
      return false;
    }
    try {
      pool.execute(work);
      return true;
    } catch (RuntimeException | Error e) {
      due.set(false);
      throw e;
    }
  }

  /** Waits for all scheduled work and ends the threads. */
  @Override
  public void close() {
    try (pool;
        migrations) {
      sql.close();
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          if (e.getCause() instanceof Exception cause) {
            throw cause;
          }
          throw e;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
