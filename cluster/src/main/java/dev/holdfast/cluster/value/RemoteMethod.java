package dev.holdfast.cluster.value;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.StructuredCloneException;
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
  private final StructuredClone values;
  private final References references;
  private final Method method;
  private final Type[] parameterTypes;
  private final Class<?>[] parameterClasses;

  RemoteMethod(String namespace, StructuredClone values, References references, Method method) {
    this.namespace = namespace;
    this.values = values;
    this.references = references;
    this.method = method;
    this.parameterTypes = method.getGenericParameterTypes();
    this.parameterClasses = method.getParameterTypes();
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
   * @param arguments the arguments; read only, and not kept
   * @return the values
   * @throws UncopyableValueException if an argument cannot be written
   */
  public List<Value> writeArguments(ObjectId id, @Nullable Object[] arguments) {
    List<Value> written = new ArrayList<>(arguments.length);
    for (int i = 0; i < arguments.length; i++) {
      written.add(write(id, "argument " + (i + 1), arguments[i]));
    }
    return written;
  }

  /**
   * Writes the result of a call.
   *
   * @param id the object, for errors
   * @param result the result; null also if the method returns nothing
   * @return the value
   * @throws UncopyableValueException if it cannot be written
   */
  public Value writeResult(ObjectId id, @Nullable Object result) {
    return write(id, "result", result);
  }

  private Value write(ObjectId id, String place, @Nullable Object value) {
    if (value == null) {
      return new Value.Null();
    }
    Value address = references.addressOf(value);
    if (address != null) {
      return address;
    }
    try {
      return new Value.Cloned(values.encodeReadable(value));
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(namespace, id, place + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the arguments of a call.
   *
   * @param arguments the values
   * @return the arguments
   * @throws UnreadableValueException if one is none of its parameter, or their number differs
   */
  public @Nullable Object[] readArguments(List<Value> arguments) throws UnreadableValueException {
    if (arguments.size() != parameterTypes.length) {
      throw new UnreadableValueException(
          text() + " has " + parameterTypes.length + " parameters, got " + arguments.size(), null);
    }
    @Nullable Object[] read = new @Nullable Object[parameterTypes.length];
    for (int i = 0; i < read.length; i++) {
      String place = "argument " + (i + 1) + " of " + text();
      read[i] = read(place, arguments.get(i), parameterTypes[i], parameterClasses[i]);
    }
    return read;
  }

  /**
   * Reads the result of a call.
   *
   * @param result the value
   * @return the result
   * @throws UnreadableValueException if it is none of the type that the method returns
   */
  public @Nullable Object readResult(Value result) throws UnreadableValueException {
    Class<?> type = method.getReturnType();
    String place = "the result of " + text();
    return type == void.class ? null : read(place, result, method.getGenericReturnType(), type);
  }

  private @Nullable Object read(String place, Value value, Type type, Class<?> declared)
      throws UnreadableValueException {
    Object read =
        switch (value) {
          case Value.Null _ -> null;
          case Value.Cloned cloned -> decode(place, cloned, type);
          case Value.Id _, Value.Stub _, Value.Namespace _ -> references.resolve(value);
        };
    boolean fits =
        read == null
            ? !declared.isPrimitive()
            : MethodType.methodType(declared).wrap().returnType().isInstance(read);
    if (!fits) {
      throw new UnreadableValueException(
          place
              + " is "
              + (read == null ? "null" : "a " + read.getClass().getName())
              + ", declared as "
              + type.getTypeName(),
          null);
    }
    return read;
  }

  private @Nullable Object decode(String place, Value.Cloned cloned, Type type)
      throws UnreadableValueException {
    try {
      return values.decode(cloned.bytes(), type);
    } catch (StructuredCloneException e) {
      throw new UnreadableValueException(place + ": " + e.getMessage(), e);
    }
  }
}
