package dev.holdfast.cluster.suites;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An interface whose calls go to the next target in turn.
 *
 * @param type the interface
 * @param next gives the next target
 * @param fixed gives the target of methods that have always the same one, by their name
 */
record Rotation<T>(Class<T> type, Supplier<T> next, Function<String, @Nullable T> fixed)
    implements InvocationHandler {

  T proxy() {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    T always = fixed.apply(method.getName());
    T target = always == null ? next.get() : always;
    if (given != null) {
      for (int i = 0; i < given.length; i++) {
        given[i] = withoutRotation(given[i]);
      }
    }
    method.setAccessible(true);
    try {
      return method.invoke(target, given);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** An object of a runtime that is passed to another is known to it only as its stub. */
  private static @Nullable Object withoutRotation(@Nullable Object argument) {
    return argument != null
            && Proxy.isProxyClass(argument.getClass())
            && Proxy.getInvocationHandler(argument) instanceof Rotation<?> rotation
        ? rotation.next().get()
        : argument;
  }
}
