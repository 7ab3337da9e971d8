package dev.holdfast.cluster.value;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.PassedType;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.errors.UncopyableValueException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A method of an object's interface, as it is called over the network. Values are read as the types
 * that the method declares here; the sender names no class. Immutable and thread-safe.
 */
public final class RemoteMethod {

  private final String namespace;
  private final References references;
  private final Method method;
  private final Place[] arguments;
  private final Place result;

  /**
   * An argument or the result.
   *
   * @param declared its class
   * @param values how its values are written and read; null if it can be an address only
   */
  private record Place(String name, Class<?> declared, @Nullable PassedType values) {}

  RemoteMethod(
      String namespace,
      StructuredClone values,
      References references,
      Class<?> type,
      Method method) {
    this.namespace = namespace;
    this.references = references;
    this.method = method;
    Method said = PassedType.declarationOf(method, type);
    Type[] types = said.getGenericParameterTypes();
    Class<?>[] classes = said.getParameterTypes();
    this.arguments = new Place[classes.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = place(values, type, said, "argument " + (i + 1), types[i], classes[i]);
    }
    this.result =
        place(values, type, said, "result", said.getGenericReturnType(), said.getReturnType());
  }

  private static Place place(
      StructuredClone values,
      Class<?> type,
      Method said,
      String name,
      Type generic,
      Class<?> declared) {
    if (declared == void.class) {
      return new Place(name, declared, null);
    }
    try {
      return new Place(name, declared, values.passed(generic, said.getDeclaringClass(), type));
    } catch (CloneException e) {
      // Ids, stubs and namespaces have addresses; the registration has refused every other type.
      return new Place(name, declared, null);
    }
  }

  /** {@return the method of the interface} */
  public Method method() {
    return method;
  }

  /** {@return the text that stands for the method in a call} */
  public String text() {
    return textOf(method);
  }

  static String textOf(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getName)
        .collect(Collectors.joining(",", method.getName() + "(", ")"));
  }

  /**
   * Writes the arguments of a call.
   *
   * @param id the object, for errors
   * @param passed the arguments; read only, and not kept
   * @return the values
   * @throws UncopyableValueException if an argument cannot be written
   */
  public List<Value> writeArguments(ObjectId id, @Nullable Object[] passed) {
    List<Value> written = new ArrayList<>(passed.length);
    for (int i = 0; i < passed.length; i++) {
      written.add(write(id, arguments[i], passed[i]));
    }
    return written;
  }

  /**
   * Writes the result of a call.
   *
   * @param id the object, for errors
   * @param returned the result; null also if the method returns nothing
   * @return the value
   * @throws UncopyableValueException if it cannot be written
   */
  public Value writeResult(ObjectId id, @Nullable Object returned) {
    return write(id, result, returned);
  }

  private Value write(ObjectId id, Place place, @Nullable Object value) {
    if (value == null) {
      return new Value.Null();
    }
    Value address = references.addressOf(value);
    if (address != null) {
      return address;
    }
    try {
      PassedType values = place.values();
      if (values == null) {
        throw new CloneException(
            "expected a stub or a namespace, found " + value.getClass().getTypeName(),
            value.getClass());
      }
      return new Value.Cloned(values.write(value));
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(namespace, id, place.name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the arguments of a call.
   *
   * @param passed the values
   * @return the arguments
   * @throws UnreadableValueException if one is none of its parameter, or their number differs
   */
  public @Nullable Object[] readArguments(List<Value> passed) throws UnreadableValueException {
    if (passed.size() != arguments.length) {
      throw new UnreadableValueException(
          text() + " has " + arguments.length + " parameters, got " + passed.size(), null);
    }
    @Nullable Object[] read = new @Nullable Object[arguments.length];
    for (int i = 0; i < read.length; i++) {
      read[i] = read(arguments[i], passed.get(i));
    }
    return read;
  }

  /**
   * Reads the result of a call.
   *
   * @param returned the value
   * @return the result
   * @throws UnreadableValueException if it is none of the type that the method returns
   */
  public @Nullable Object readResult(Value returned) throws UnreadableValueException {
    return result.declared() == void.class ? null : read(result, returned);
  }

  private @Nullable Object read(Place place, Value value) throws UnreadableValueException {
    Object read =
        switch (value) {
          case Value.Null _ -> null;
          case Value.Cloned cloned -> decode(place, cloned);
          case Value.Id _, Value.Stub _, Value.Namespace _ -> references.resolve(value);
        };
    Class<?> declared = place.declared();
    boolean fits =
        read == null
            ? !declared.isPrimitive()
            : MethodType.methodType(declared).wrap().returnType().isInstance(read);
    if (!fits) {
      throw new UnreadableValueException(
          described(place)
              + " is "
              + (read == null ? "null" : "a " + read.getClass().getName())
              + ", declared as "
              + declared.getTypeName(),
          null);
    }
    return read;
  }

  private String described(Place place) {
    return place.name() + " of " + text();
  }

  private @Nullable Object decode(Place place, Value.Cloned cloned)
      throws UnreadableValueException {
    PassedType values = place.values();
    if (values == null) {
      throw new UnreadableValueException(
          described(place) + " is a value, declared as " + place.declared().getTypeName(), null);
    }
    try {
      return values.read(cloned.bytes());
    } catch (StructuredCloneException e) {
      throw new UnreadableValueException(described(place) + ": " + e.getMessage(), e);
    }
  }
}
