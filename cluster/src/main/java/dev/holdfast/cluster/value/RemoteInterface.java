package dev.holdfast.cluster.value;

import dev.holdfast.clone.codec.StructuredClone;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The methods of a namespace's interface, by the text that names them. Immutable. */
public final class RemoteInterface {

  private final Map<String, RemoteMethod> methods = new HashMap<>();

  /**
   * Reads an interface.
   *
   * @param namespace the name of the namespace
   * @param type the interface of its objects
   * @param values the codec of the namespace
   * @param references the addresses of the runtime
   */
  public RemoteInterface(
      String namespace, Class<?> type, StructuredClone values, References references) {
    for (Method method : type.getMethods()) {
      boolean isCalled = !Modifier.isStatic(method.getModifiers());
      RemoteMethod known = methods.get(RemoteMethod.textOf(method));
      // Of methods that differ in their results only, the one with the narrowest declares it best.
      boolean isNarrower =
          known == null || known.method().getReturnType().isAssignableFrom(method.getReturnType());
      if (isCalled && isNarrower) {
        methods.put(
            RemoteMethod.textOf(method),
            new RemoteMethod(namespace, values, references, type, method));
      }
    }
  }

  /**
   * {@return the method that a call names; empty if this interface has none such}
   *
   * @param text as {@link RemoteMethod#text} returns it
   */
  public Optional<RemoteMethod> method(String text) {
    return Optional.ofNullable(methods.get(text));
  }

  /**
   * {@return a method of the interface}
   *
   * @param method as a proxy of the interface passes it
   * @throws IllegalArgumentException if it is no method of the interface
   */
  public RemoteMethod method(Method method) {
    RemoteMethod found = methods.get(RemoteMethod.textOf(method));
    if (found == null) {
      throw new IllegalArgumentException("The interface has no method " + method);
    }
    return found;
  }
}
