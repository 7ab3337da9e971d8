package dev.holdfast.runtime;

import dev.holdfast.errors.NamespaceException;
import java.lang.reflect.Method;

/**
 * What the interface of a namespace must be, so that a stub can implement it and the object can
 * answer. Checked at registration: at the first call it would be too late. Stateless.
 */
final class InterfaceRules {

  /** The last parameter of what Kotlin's compiler makes of a suspend function. */
  private static final String CONTINUATION = "kotlin.coroutines.Continuation";

  private InterfaceRules() {}

  static void check(String namespace, Class<?> type) {
    if (!type.isInterface()) {
      throw new IllegalArgumentException(
          "Objects are called through an interface; "
              + type.getName()
              + " is not an interface. Register the namespace \""
              + namespace
              + "\" with the interface that its objects implement.");
    }
    if (type.isSealed()) {
      throw new IllegalArgumentException(
          "The interface "
              + type.getName()
              + " of the namespace \""
              + namespace
              + "\" is sealed, so no stub can implement it. Remove \"sealed\", or register an"
              + " interface that is not.");
    }
    for (Method method : type.getMethods()) {
      if (!method.trySetAccessible()) {
        throw new NamespaceException(
            namespace,
            "The interface "
                + method.getDeclaringClass().getName()
                + " of the namespace \""
                + namespace
                + "\" is not accessible: make it public in an exported package, or open the package"
                + " "
                + method.getDeclaringClass().getPackageName()
                + " to dev.holdfast.runtime.");
      }
      if (isSuspendFunction(method)) {
        throw new NamespaceException(
            namespace,
            type.getName()
                + "."
                + method.getName()
                + " is a suspend function, which no object can answer: the caller would wait"
                + " outside of a turn. Declare it without \"suspend\"; a coroutine calls it through"
                + " ObjectStub.async.");
      }
    }
  }

  private static boolean isSuspendFunction(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    return parameters.length > 0
        && parameters[parameters.length - 1].getName().equals(CONTINUATION);
  }
}
