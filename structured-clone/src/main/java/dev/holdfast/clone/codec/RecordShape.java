package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.ByteSink;
import dev.holdfast.clone.internal.Latin1;
import dev.holdfast.value.Alias;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The components of a record class: their names in written form, and access to all of them at once.
 *
 * <p>One handle for all accessors, and one for the constructor: the JVM compiles each of them as a
 * whole after some calls, which is several times cheaper than a handle for each component.
 *
 * <p>Immutable, thread-safe.
 */
final class RecordShape {

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodHandle CONTENT_OF_OPTIONAL;
  private static final MethodHandle OPTIONAL_OF_CONTENT;

  static {
    try {
      CONTENT_OF_OPTIONAL =
          LOOKUP.findStatic(
              RecordShape.class, "content", MethodType.methodType(Object.class, Object.class));
      OPTIONAL_OF_CONTENT =
          LOOKUP.findStatic(
              Optional.class, "ofNullable", MethodType.methodType(Optional.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final MethodType CREATOR = MethodType.methodType(Object.class, Object[].class);
  private static final MethodType READER = MethodType.methodType(Object[].class, Object.class);

  private static final ClassValue<RecordShape> SHAPES =
      new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
          return new RecordShape(type);
        }
      };

  private final Class<?> type;
  private final String[] names;
  private final byte[][] encodedNames;
  private final Type[] componentTypes;
  private final boolean[] optionals;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final MethodHandle reader;
  private final MethodHandle creator;

  private RecordShape(Class<?> type) {
    this.type = type;
    RecordComponent[] components = type.getRecordComponents();
    this.names = new String[components.length];
    this.encodedNames = new byte[components.length][];
    this.componentTypes = new Type[components.length];
    this.optionals = new boolean[components.length];
    for (int i = 0; i < components.length; i++) {
      names[i] = components[i].getName();
      encodedNames[i] = encode(names[i]);
      componentTypes[i] = writtenType(components[i].getGenericType());
      optionals[i] = components[i].getType() == Optional.class;
      indexes.put(names[i], i);
    }
    for (int i = 0; i < components.length; i++) {
      Alias alias = components[i].getAnnotation(Alias.class);
      for (String name : alias == null ? new String[0] : alias.value()) {
        addAlias(name, i);
      }
    }
    this.reader = reader(components);
    this.creator = creator(components);
  }

  private void addAlias(String name, int index) {
    Integer other = indexes.putIfAbsent(name, index);
    if (other != null) {
      throw new CloneException(
          "@Alias(\""
              + name
              + "\") of ."
              + names[index]
              + " is also a name of ."
              + names[other]
              + " of record "
              + type.getTypeName()
              + "; remove one of them",
          type);
    }
  }

  /**
   * Returns the shape of a record class.
   *
   * @throws CloneException if the class is not accessible, or two components have one name
   */
  static RecordShape of(Class<?> type) {
    return SHAPES.get(type);
  }

  /**
   * The type as which a component is written: an {@code Optional} is written as its content, or
   * null.
   */
  private static Type writtenType(Type declared) {
    return switch (declared) {
      case ParameterizedType p when p.getRawType() == Optional.class ->
          p.getActualTypeArguments()[0];
      case Class<?> c when c == Optional.class -> Object.class;
      default -> declared;
    };
  }

  /** Called through a handle. */
  static @Nullable Object content(@Nullable Object optional) {
    return optional instanceof Optional<?> present ? present.orElse(null) : null;
  }

  int count() {
    return names.length;
  }

  String name(int index) {
    return names[index];
  }

  /** Returns the index of the component with a name or an alias; -1 if there is none. */
  int indexOf(String name) {
    return indexes.getOrDefault(name, -1);
  }

  /** The type as which a component is read; the creator adds the {@code Optional} around it. */
  Type componentType(int index) {
    return componentTypes[index];
  }

  /** Returns whether a component is declared as an {@code Optional} of its type. */
  boolean isOptional(int index) {
    return optionals[index];
  }

  /**
   * The names as one-byte strings with their tag. An empty array stands for a name that needs two
   * bytes per character, whose form depends on its position.
   */
  byte[][] encodedNames() {
    return encodedNames;
  }

  @Nullable Object[] values(Object value) {
    try {
      return (Object[]) reader.invokeExact(value);
    } catch (Throwable e) {
      throw failure("an accessor of " + type.getTypeName() + " failed", e);
    }
  }

  Object create(@Nullable Object[] values) {
    try {
      return (Object) creator.invokeExact(values);
    } catch (Throwable e) {
      throw failure("the constructor of " + type.getTypeName() + " refused the values", e);
    }
  }

  private CloneException failure(String reason, Throwable e) {
    if (e instanceof VirtualMachineError error) {
      throw error;
    }
    return new CloneException(reason + ": " + e, type, e);
  }

  private MethodHandle reader(RecordComponent[] components) {
    MethodHandle[] accessors = new MethodHandle[components.length];
    for (int i = 0; i < components.length; i++) {
      var accessor = components[i].getAccessor();
      open(accessor);
      MethodHandle getter = unreflect(() -> LOOKUP.unreflect(accessor));
      accessors[i] =
          components[i].getType() == Optional.class
              ? MethodHandles.filterReturnValue(
                  getter.asType(getter.type().changeReturnType(Object.class)), CONTENT_OF_OPTIONAL)
              : getter;
    }
    MethodHandle collector =
        MethodHandles.identity(Object[].class)
            .asType(MethodType.methodType(Object[].class, Object[].class))
            .asCollector(Object[].class, accessors.length);
    for (int i = 0; i < accessors.length; i++) {
      accessors[i] = accessors[i].asType(MethodType.methodType(Object.class, type));
    }
    MethodHandle all = MethodHandles.filterArguments(collector, 0, accessors);
    MethodHandle once =
        accessors.length == 0
            ? MethodHandles.dropArguments(all, 0, type)
            : MethodHandles.permuteArguments(
                all, MethodType.methodType(Object[].class, type), new int[accessors.length]);
    return once.asType(READER);
  }

  private MethodHandle creator(RecordComponent[] components) {
    Class<?>[] parameters =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Constructor<?> constructor;
    try {
      constructor = type.getDeclaredConstructor(parameters);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record without canonical constructor: " + type, e);
    }
    open(constructor);
    MethodHandle handle = unreflect(() -> LOOKUP.unreflectConstructor(constructor));
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] == Optional.class) {
        handle = MethodHandles.filterArguments(handle, i, OPTIONAL_OF_CONTENT);
      }
    }
    return handle.asSpreader(Object[].class, components.length).asType(CREATOR);
  }

  private void open(AccessibleObject member) {
    if (!member.trySetAccessible()) {
      throw inaccessible(null);
    }
  }

  /** An access that may be refused. */
  @FunctionalInterface
  private interface Unreflection {
    MethodHandle get() throws IllegalAccessException;
  }

  private MethodHandle unreflect(Unreflection unreflection) {
    try {
      return unreflection.get();
    } catch (IllegalAccessException e) {
      throw inaccessible(e);
    }
  }

  private CloneException inaccessible(@Nullable Throwable cause) {
    Module ours = LOOKUP.lookupClass().getModule();
    String recipient = ours.isNamed() ? " to " + ours.getName() : "";
    return new CloneException(
        "record "
            + type.getTypeName()
            + " is not accessible; add \"opens "
            + type.getPackageName()
            + recipient
            + ";\" to the descriptor of module "
            + type.getModule().getName()
            + ", or make it public in an exported package",
        type,
        cause);
  }

  private static byte[] encode(String name) {
    if (!Latin1.covers(name)) {
      return new byte[0];
    }
    ByteSink sink = new ByteSink(name.length() + 2);
    sink.string(name);
    return sink.toByteArray();
  }
}
