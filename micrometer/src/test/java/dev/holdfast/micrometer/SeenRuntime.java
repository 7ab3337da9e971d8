package dev.holdfast.micrometer;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.Health;
import dev.holdfast.statistics.RuntimeStatistics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A runtime whose snapshots a test counts and changes. */
final class SeenRuntime {

  final AtomicInteger snapshots = new AtomicInteger();
  volatile UnaryOperator<RuntimeStatistics> change = UnaryOperator.identity();
  volatile UnaryOperator<Health> changeOfHealth = UnaryOperator.identity();

  /** What the binder gets. */
  final ObjectRuntime seen =
      (ObjectRuntime)
          Proxy.newProxyInstance(
              SeenRuntime.class.getClassLoader(),
              new Class<?>[] {ObjectRuntime.class},
              (_, method, arguments) -> invoke(method, arguments));

  private final ObjectRuntime runtime;

  SeenRuntime(ObjectRuntime runtime) {
    this.runtime = runtime;
  }

  private @Nullable Object invoke(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      Object result = method.invoke(runtime, arguments);
      return switch (result) {
        case RuntimeStatistics statistics -> {
          snapshots.incrementAndGet();
          yield change.apply(statistics);
        }
        case Health health -> changeOfHealth.apply(health);
        case null, default -> result;
      };
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
