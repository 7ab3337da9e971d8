package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Converts calls of an object's interface into calls of the object. Two stubs are equal when they
 * call the same object of the same namespace. Immutable.
 */
final class StubHandler implements InvocationHandler {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final Namespace<?> namespace;
  private final ObjectId id;
  private final @Nullable Duration timeout;

  StubHandler(Namespace<?> namespace, ObjectId id, @Nullable Duration timeout) {
    this.namespace = namespace;
    this.id = id;
    this.timeout = timeout;
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return invokeOwn(method, arguments);
    }
    ObjectMethod operation = namespace.operations().of(method);
    @Nullable Object[] passed = arguments == null ? NO_ARGUMENTS : arguments;
    operation.copyArguments(id, passed);
    return timeout == null
        ? namespace.instances().call(id, operation, passed)
        : namespace.instances().call(id, operation, passed, timeout);
  }

  private @Nullable Object invokeOwn(Method method, @Nullable Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && isStubOfSameObject(arguments[0]);
      case "hashCode" -> id.hashCode();
      default -> namespace.name() + "/" + id;
    };
  }

  private boolean isStubOfSameObject(@Nullable Object other) {
    return other != null
        && java.lang.reflect.Proxy.isProxyClass(other.getClass())
        && java.lang.reflect.Proxy.getInvocationHandler(other) instanceof StubHandler that
        && namespace == that.namespace
        && id.equals(that.id);
  }
}
