package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.PassedType;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.runtime.internal.storage.NamespaceValues;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an argument or a result enters or leaves an object, so that two objects never share mutable
 * state. Immutable values are passed as they are. So are ids, stubs and namespaces, with which one
 * object passes the address of a third to another. Everything else has the classes that it would
 * have on another node. Immutable.
 */
public final class Passing {

  private static final Set<Class<?>> IMMUTABLE =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          Void.class,
          ObjectId.class);

  private final Class<?> declared;
  private final boolean copies;

  /** Null if only ids, stubs and namespaces are passed. */
  private final @Nullable PassedType values;

  private final @Nullable CloneException refusal;

  private Passing(
      Class<?> declared,
      boolean copies,
      @Nullable PassedType values,
      @Nullable CloneException refusal) {
    this.declared = declared;
    this.copies = copies;
    this.values = values;
    this.refusal = refusal;
  }

  /**
   * Returns how the arguments of a method are passed.
   *
   * @param values the codec of the namespace
   * @param type the interface of the objects
   * @param method a method of it
   * @return one for each parameter
   */
  public static Passing[] ofArguments(StructuredClone values, Class<?> type, Method method) {
    Method said = PassedType.declarationOf(method, type);
    Type[] types = said.getGenericParameterTypes();
    Class<?>[] classes = said.getParameterTypes();
    Passing[] all = new Passing[classes.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = of(values, type, said, types[i], classes[i]);
    }
    return all;
  }

  /**
   * Returns how the result of a method is passed.
   *
   * @param values the codec of the namespace
   * @param type the interface of the objects
   * @param method a method of it
   * @return how it is passed
   */
  public static Passing ofResult(StructuredClone values, Class<?> type, Method method) {
    Method said = PassedType.declarationOf(method, type);
    return of(values, type, said, said.getGenericReturnType(), said.getReturnType());
  }

  private static Passing of(
      StructuredClone values, Class<?> type, Method said, Type generic, Class<?> declared) {
    if (declared.isPrimitive() || IMMUTABLE.contains(declared)) {
      return new Passing(declared, false, null, null);
    }
    if (ObjectStub.class.isAssignableFrom(declared)
        || ObjectNamespace.class.isAssignableFrom(declared)) {
      return new Passing(declared, true, null, null);
    }
    try {
      return new Passing(
          declared, true, values.passed(generic, said.getDeclaringClass(), type), null);
    } catch (CloneException e) {
      return new Passing(declared, true, null, e);
    }
  }

  /** {@return the declared class} */
  public Class<?> declared() {
    return declared;
  }

  /** {@return how values are written and read; null if only addresses of objects are passed} */
  public @Nullable PassedType values() {
    return values;
  }

  /** {@return why no value of the declared type can be passed; null if one can} */
  public @Nullable CloneException refusal() {
    return refusal;
  }

  boolean copies() {
    return copies;
  }

  /** Returns a value that shares nothing mutable with the given one. */
  @Nullable Object copy(ObjectId object, String namespace, String place, Object value) {
    if (!copies || isReference(value)) {
      return value;
    }
    try {
      if (values == null) {
        throw refusal != null
            ? refusal
            : new CloneException(
                "expected a stub or a namespace, found " + value.getClass().getTypeName(),
                value.getClass());
      }
      return values.copy(value);
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(
          namespace, object, place + ": " + NamespaceValues.explain(e), e);
    }
  }

  private static boolean isReference(Object value) {
    if (value instanceof ObjectId
        || value instanceof ObjectStub
        || value instanceof ObjectNamespace) {
      return true;
    }
    if (!Proxy.isProxyClass(value.getClass())) {
      return false;
    }
    Object handler = Proxy.getInvocationHandler(value);
    // The stub of a cluster handles the calls of its interface itself.
    return handler instanceof StubHandler || handler instanceof ObjectStub;
  }
}
