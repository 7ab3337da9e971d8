package dev.holdfast.clone.codec.component;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.ByteSink;
import dev.holdfast.clone.internal.Latin1;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Default;
import dev.holdfast.value.Fallback;
import dev.holdfast.value.Ignored;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The components of a record, or of a class with a {@link Construction}: their names in written
 * form, and access to all of them at once.
 *
 * <p>One handle for all accessors, and one for the constructor: the JVM compiles each of them as a
 * whole after some calls, which is several times cheaper than a handle for each component.
 *
 * <p>Immutable, thread-safe.
 */
public final class Components {

  /** The name of {@link Tags#PROPERTY} in written form. */
  public static final byte[] TAG_NAME = encode(Tags.PROPERTY);

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodType CREATOR = MethodType.methodType(Object.class, Object[].class);
  private static final MethodType READER = MethodType.methodType(Object[].class, Object.class);

  private static final ClassValue<Components> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected Components computeValue(Class<?> type) {
          return new Components(type);
        }
      };

  private final Class<?> type;
  private final String[] names;
  private final byte[][] encodedNames;
  private final Type[] types;
  private final @Nullable String[] defaults;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<String> tags;
  private final @Nullable Set<String> ignored;
  private final boolean isFallback;
  private final MethodHandle reader;
  private final MethodHandle creator;

  /** Whether each component has a default of Kotlin; empty without such. */
  private final List<Boolean> standards;

  /** The constructor that uses them; null if there is none. */
  private final @Nullable MethodHandle defaulting;

  private Components(Class<?> type) {
    this.type = type;
    Construction construction = Construction.of(type);
    List<Member> members = construction.members();
    int count = members.size();
    this.names = new String[count];
    this.encodedNames = new byte[count][];
    this.types = new Type[count];
    this.defaults = new @Nullable String[count];
    for (int i = 0; i < count; i++) {
      Member member = members.get(i);
      names[i] = member.name();
      encodedNames[i] = encode(names[i]);
      types[i] = member.type();
      Default text = member.annotations().getAnnotation(Default.class);
      defaults[i] = text == null ? null : text.value();
      indexes.put(names[i], i);
    }
    for (int i = 0; i < count; i++) {
      Alias alias = members.get(i).annotations().getAnnotation(Alias.class);
      for (String name : alias == null ? new String[0] : alias.value()) {
        addAlias(name, i);
      }
    }
    this.tags = List.copyOf(Tags.allOf(type));
    Ignored passedOver = type.getAnnotation(Ignored.class);
    this.ignored = passedOver == null ? null : Set.of(passedOver.value());
    this.isFallback = type.isAnnotationPresent(Fallback.class);
    if (isFallback && !(count == 0 || holdsUnknown())) {
      throw new CloneException(
          "the @Fallback " + described() + " has to have no component, or one of the type Object",
          type);
    }
    this.reader = reader(members);
    this.creator = creator(construction);
    Constructor<?> withMask = construction.defaulting();
    this.defaulting = withMask == null ? null : handle(withMask);
    this.standards = withMask == null ? List.of() : construction.defaults();
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
              + " of "
              + described()
              + "; remove one of them",
          type);
    }
  }

  /**
   * Returns the components of a record class, or of a class with a construction.
   *
   * @throws CloneException if the class is not accessible, or two components have one name
   */
  public static Components of(Class<?> type) {
    return COMPONENTS.get(type);
  }

  /** Returns the class as messages name it. */
  public String described() {
    return (type.isRecord() ? "record " : "class ") + type.getTypeName();
  }

  /** Returns whether values of a sealed type that are of no known class are of this one. */
  public boolean isFallback() {
    return isFallback;
  }

  /** Returns whether an instance holds the value of an unknown class, and is written as it. */
  public boolean holdsUnknown() {
    return isFallback && count() == 1 && types[0] == Object.class;
  }

  public int count() {
    return names.length;
  }

  public String name(int index) {
    return names[index];
  }

  /** Returns the index of the component with a name or an alias; -1 if there is none. */
  public int indexOf(String name) {
    return indexes.getOrDefault(name, -1);
  }

  public Type type(int index) {
    return types[index];
  }

  /** Returns the text of the default of a component; null if it has none. */
  public @Nullable String defaultText(int index) {
    return defaults[index];
  }

  /** Returns whether the class does without a stored component that it lacks. */
  public boolean ignores(String name) {
    return ignored != null && (ignored.isEmpty() || ignored.contains(name));
  }

  /**
   * Returns the names of the class within its sealed types: the one that is written, then earlier
   * ones; empty if it is of no sealed type.
   */
  public List<String> tags() {
    return tags;
  }

  /**
   * The names as one-byte strings with their tag. An empty array stands for a name that needs two
   * bytes per character, whose form depends on its position.
   */
  public byte[][] encodedNames() {
    return encodedNames;
  }

  /** Takes an instance apart. */
  public @Nullable Object[] values(Object value) {
    try {
      return (Object[]) reader.invokeExact(value);
    } catch (Throwable e) {
      throw failure("an accessor of " + type.getTypeName() + " failed", e);
    }
  }

  /** Makes an instance. */
  public Object create(@Nullable Object[] values) {
    try {
      return (Object) creator.invokeExact(values);
    } catch (Throwable e) {
      throw failure("the constructor of " + type.getTypeName() + " refused the values", e);
    }
  }

  /** Returns whether the class itself has a default for a component: a default of Kotlin. */
  public boolean hasDefault(int index) {
    return !standards.isEmpty() && standards.get(index);
  }

  /**
   * Makes an instance with defaults of the class.
   *
   * @param values with anything for a component that is absent
   * @param absent the components that take their defaults; each {@link #hasDefault}
   */
  public Object create(@Nullable Object[] values, BitSet absent) {
    MethodHandle constructor = defaulting;
    if (constructor == null) {
      throw new IllegalStateException("no defaults in " + type);
    }
    int masks = (names.length + Integer.SIZE - 1) / Integer.SIZE;
    @Nullable Object[] arguments = Arrays.copyOf(values, names.length + masks + 1);
    for (int i = 0; i < masks; i++) {
      arguments[names.length + i] = 0;
    }
    for (int i = absent.nextSetBit(0); i >= 0; i = absent.nextSetBit(i + 1)) {
      int mask = names.length + i / Integer.SIZE;
      arguments[mask] = (Integer) Objects.requireNonNull(arguments[mask]) | 1 << i;
      arguments[i] =
          types[i] instanceof Class<?> raw && raw.isPrimitive()
              ? Array.get(Array.newInstance(raw, 1), 0)
              : null;
    }
    try {
      return (Object) constructor.invokeExact(arguments);
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

  private MethodHandle reader(List<Member> members) {
    MethodHandle[] accessors = new MethodHandle[members.size()];
    for (int i = 0; i < accessors.length; i++) {
      accessors[i] = accessor(members.get(i)).asType(MethodType.methodType(Object.class, type));
    }
    MethodHandle collector =
        MethodHandles.identity(Object[].class)
            .asType(MethodType.methodType(Object[].class, Object[].class))
            .asCollector(Object[].class, accessors.length);
    MethodHandle all = MethodHandles.filterArguments(collector, 0, accessors);
    MethodHandle once =
        accessors.length == 0
            ? MethodHandles.dropArguments(all, 0, type)
            : MethodHandles.permuteArguments(
                all, MethodType.methodType(Object[].class, type), new int[accessors.length]);
    return once.asType(READER);
  }

  private MethodHandle accessor(Member member) {
    Field field = member.field();
    if (field != null) {
      open(field);
      return unreflect(() -> LOOKUP.unreflectGetter(field));
    }
    Method method = Objects.requireNonNull(member.method());
    open(method);
    return unreflect(() -> LOOKUP.unreflect(method));
  }

  private MethodHandle creator(Construction construction) {
    Field singleton = construction.singleton();
    if (singleton != null) {
      open(singleton);
      MethodHandle constant = unreflect(() -> LOOKUP.unreflectGetter(singleton));
      return MethodHandles.dropArguments(
          constant.asType(MethodType.methodType(Object.class)), 0, Object[].class);
    }
    Constructor<?> constructor = construction.constructor();
    if (constructor == null) {
      throw new IllegalStateException("no construction of " + type);
    }
    return handle(constructor);
  }

  private MethodHandle handle(Constructor<?> constructor) {
    open(constructor);
    return unreflect(() -> LOOKUP.unreflectConstructor(constructor))
        .asFixedArity()
        .asSpreader(Object[].class, constructor.getParameterCount())
        .asType(CREATOR);
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
        described()
            + " is not accessible; add \"opens "
            + type.getPackageName()
            + recipient
            + ";\" to the descriptor of module "
            + type.getModule().getName()
            + (type.isRecord() ? ", or make it public in an exported package" : ""),
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
