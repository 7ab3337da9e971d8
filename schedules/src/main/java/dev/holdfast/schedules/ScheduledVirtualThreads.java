package dev.holdfast.schedules;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Virtual threads whose continuations run on a given executor.
 *
 * <p>The JDK has this for its own tests, but not as public API: the constructor of the builder that
 * takes an executor, and the field of a thread that holds it. Hence the reflection, and the {@code
 * --add-opens}. Stateless.
 */
final class ScheduledVirtualThreads {

  private static final String ADVICE =
      "Deterministic scheduling needs the JVM argument --add-opens java.base/java.lang="
          + "ALL-UNNAMED (or =dev.holdfast.schedules where that is on the module path), and"
          + " a JDK whose virtual threads take an executor, such as JDK 25.";

  private static final Constructor<?> BUILDER;
  private static final Field EXECUTOR;

  static {
    try {
      BUILDER =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      BUILDER.setAccessible(true);
      EXECUTOR = Class.forName("java.lang.VirtualThread").getDeclaredField("scheduler");
      EXECUTOR.setAccessible(true);
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      throw new IllegalStateException(ADVICE, e);
    }
  }

  private ScheduledVirtualThreads() {}

  /** Creates a thread, not started. */
  static Thread newThread(Executor executor, String name, Runnable task) {
    try {
      Thread.Builder.OfVirtual builder = (Thread.Builder.OfVirtual) BUILDER.newInstance(executor);
      return builder.name(name).unstarted(task);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(ADVICE, e);
    }
  }

  /** Returns the executor of a virtual thread; null for a platform thread. */
  static @Nullable Object executorOf(Thread thread) {
    if (!thread.isVirtual()) {
      return null;
    }
    try {
      return EXECUTOR.get(thread);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(ADVICE, e);
    }
  }
}
