package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Carried;
import dev.holdfast.runtime.internal.filter.Departure;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.instance.CallDelivery;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
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
  private final Headers headers;

  /** Null in a runtime without filters. */
  private final @Nullable Filters filters;

  private final boolean isOnOwnThread;

  StubHandler(Namespace<?> namespace, ObjectId id, @Nullable Duration timeout, Headers headers) {
    this.namespace = namespace;
    this.id = id;
    this.timeout = timeout;
    this.headers = headers;
    this.filters = namespace.instances().filters();
    this.isOnOwnThread = timeout != null || namespace.instances().hasFreshThreads();
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return invokeOwn(method, arguments);
    }
    ObjectMethod operation = namespace.operations().of(method);
    @Nullable Object[] passed = arguments == null ? NO_ARGUMENTS : arguments;
    if (filters != null) {
      return send(filters, operation, passed);
    }
    operation.copyArguments(id, passed);
    return isOnOwnThread
        ? namespace.instances().callOnOwnThread(id, operation, passed, timeout)
        : namespace.instances().call(id, operation, passed);
  }

  private @Nullable Object call(CallDelivery delivery, @Nullable Object[] arguments)
      throws Throwable {
    return isOnOwnThread
        ? namespace.instances().callOnOwnThread(id, delivery, arguments, timeout)
        : namespace.instances().call(id, delivery, arguments);
  }

  /**
   * Each delivery has its own copies: the object may have changed the arguments of an earlier one.
   */
  private @Nullable Object send(
      Filters passed, ObjectMethod operation, @Nullable Object[] arguments) throws Throwable {
    Headers all = ExecutionStack.current().headers().withAll(headers);
    Carried context = passed.context();
    if (!passed.hasOutgoing()) {
      operation.copyArguments(id, arguments);
      return call(
          new FilteredDelivery(passed, context, operation, arguments, all, null), arguments);
    }
    return passed.send(new Sent(passed, context, operation, arguments), all);
  }

  /** A call that passes outgoing filters, which may make it several times. */
  private final class Sent implements Departure {

    private final Filters passed;
    private final Carried context;
    private final ObjectMethod operation;
    private final @Nullable Object[] arguments;

    Sent(Filters passed, Carried context, ObjectMethod operation, @Nullable Object[] arguments) {
      this.passed = passed;
      this.context = context;
      this.operation = operation;
      this.arguments = arguments;
    }

    @Override
    public String namespace() {
      return namespace.name();
    }

    @Override
    public ObjectId id() {
      return id;
    }

    @Override
    public String operationName() {
      return operation.name();
    }

    @Override
    public @Nullable Object[] arguments() {
      return arguments;
    }

    @Override
    public @Nullable Object run(Headers sent, @Nullable Runnable whenHeld) throws Throwable {
      @Nullable Object[] copies = operation.copiesOf(id, arguments);
      return call(new FilteredDelivery(passed, context, operation, copies, sent, whenHeld), copies);
    }
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
