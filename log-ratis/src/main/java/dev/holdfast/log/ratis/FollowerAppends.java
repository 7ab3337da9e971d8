package dev.holdfast.log.ratis;

import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.server.RaftServer;

/**
 * The chain of a follower's appends, which Ratis runs on the common pool of the JVM. That pool is
 * the application's: on a machine with two processors it has one thread, and an application that
 * blocks its threads in calls, which wait for these very appends on three nodes, would hold the log
 * for ever. Ratis has no option for another executor, so the last future of the chain is replaced
 * by one whose stages run on virtual threads.
 */
final class FollowerAppends {

  private FollowerAppends() {}

  /**
   * Runs the appends of a division from now on without the common pool.
   *
   * @throws IllegalStateException if Ratis is another version than this module was built with
   */
  static void leaveCommonPool(RaftServer.Division division) {
    try {
      AtomicReference<?> last =
          (AtomicReference<?>) valueOf(valueOf(division, "appendLogTermIndices"), "future");
      @SuppressWarnings("unchecked")
      AtomicReference<CompletableFuture<Void>> appends =
          (AtomicReference<CompletableFuture<Void>>) last;
      appends.updateAndGet(Append::after);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "Holdfast works with Apache Ratis 3.3.0, and the class path has another version."
              + " Remove that from the dependencies of the application",
          e);
    }
  }

  private static Object valueOf(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(owner);
  }

  /** An append; those that are chained to it are of this kind, too. */
  private static final class Append<T> extends CompletableFuture<T> {

    private static final Executor THREADS =
        append -> Thread.ofVirtual().name("holdfast-log-append").start(append);

    static CompletableFuture<Void> after(CompletableFuture<Void> before) {
      Append<Void> chain = new Append<>();
      chain.complete(null);
      return chain.thenCompose(_ -> before);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new Append<>();
    }

    @Override
    public Executor defaultExecutor() {
      return THREADS;
    }
  }
}
