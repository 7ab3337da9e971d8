package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.runtime.internal.instance.CallDelivery;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One method of an object's interface: how to call it, and which values of a call to copy. Created
 * once for each method of a namespace. Immutable.
 */
final class ObjectMethod implements CallDelivery {

  private static final MethodType GENERIC =
      MethodType.methodType(Object.class, Object.class, Object[].class);

  private final Method method;
  private final String namespace;
  private final MethodHandle handle;
  private final Passing[] arguments;
  private final boolean copiesArguments;
  private final Passing result;

  /** What a result is an instance of: the wrapper of a primitive type. */
  private final Class<?> resultType;

  ObjectMethod(String namespace, StructuredClone values, Class<?> type, Method method) {
    this.namespace = namespace;
    this.method = method;
    this.handle = handleOf(namespace, method);
    this.arguments = Passing.ofArguments(values, type, method);
    this.copiesArguments = Arrays.stream(arguments).anyMatch(Passing::copies);
    this.result = Passing.ofResult(values, type, method);
    this.resultType = MethodType.methodType(method.getReturnType()).wrap().returnType();
  }

  String name() {
    return method.getName();
  }

  /** Proxies pass the same {@code Method} object each time, so this is one comparison. */
  @SuppressWarnings("ReferenceEquality") // Method.equals compares names and parameter types
  boolean isOf(Method called) {
    return method == called;
  }

  private static MethodHandle handleOf(String namespace, Method method) {
    try {
      method.setAccessible(true);
      return MethodHandles.lookup()
          .unreflect(method)
          .asFixedArity()
          .asSpreader(Object[].class, method.getParameterCount())
          .asType(GENERIC);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      NamespaceException refusal =
          new NamespaceException(
              namespace,
              "The interface "
                  + method.getDeclaringClass().getName()
                  + " is not accessible: make it public in an exported package, or open its package"
                  + " to dev.holdfast.runtime.");
      refusal.addSuppressed(e);
      throw refusal;
    }
  }

  /** {@return arguments for one delivery, with copies that belong to the object} */
  @Nullable Object[] copiesOf(ObjectId id, @Nullable Object[] arguments) {
    if (!copiesArguments) {
      return arguments;
    }
    @Nullable Object[] copies = arguments.clone();
    copyArguments(id, copies);
    return copies;
  }

  @Override
  public String operationName() {
    return method.getName();
  }

  /** Replaces arguments by copies that belong to the object. The array belongs to the call. */
  void copyArguments(ObjectId id, @Nullable Object[] passed) {
    if (!copiesArguments) {
      return;
    }
    for (int i = 0; i < passed.length; i++) {
      Object argument = passed[i];
      if (argument != null) {
        passed[i] = arguments[i].copy(id, namespace, "argument " + (i + 1), argument);
      }
    }
  }

  /**
   * Calls the object in its turn. The result is copied in the turn, too: later turns may change it.
   */
  @Override
  public @Nullable Object deliver(ObjectId id, Object object, @Nullable Object[] arguments)
      throws Throwable {
    Object returned = (Object) handle.invokeExact(object, arguments);
    return returned == null ? null : result.copy(id, namespace, "result", returned);
  }

  /** Calls the object in its turn; the result is the object's own. */
  @Nullable Object invoke(Object object, @Nullable Object[] arguments) throws Throwable {
    return (Object) handle.invokeExact(object, arguments);
  }

  /** Makes what a filter has returned the reply; it may be anything. */
  @Nullable Object result(ObjectId id, @Nullable Object returned) {
    if (resultType == Void.class) {
      return null;
    }
    boolean fits =
        returned == null ? !method.getReturnType().isPrimitive() : resultType.isInstance(returned);
    if (!fits) {
      throw new ClassCastException(
          "A CallFilter has returned "
              + (returned == null ? "null" : "a " + returned.getClass().getName())
              + " for "
              + method.getName()
              + ", which returns "
              + method.getReturnType().getName()
              + " ["
              + namespace
              + "/"
              + id
              + "]");
    }
    return returned == null ? null : result.copy(id, namespace, "result", returned);
  }
}
