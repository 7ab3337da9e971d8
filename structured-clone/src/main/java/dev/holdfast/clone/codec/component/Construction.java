package dev.holdfast.clone.codec.component;

import dev.holdfast.value.Name;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How instances of a class are made from their components: by the canonical constructor of a
 * record, or by the constructor of a class whose parameters are exactly the fields. A class that
 * has more state than its constructor takes would lose it, so it has no construction.
 *
 * <p>Immutable, thread-safe.
 */
public final class Construction {

  /** The field of a Kotlin object; its class has no other instance. */
  private static final String SINGLETON = "INSTANCE";

  /** The class of the last parameter of a constructor that Kotlin adds for defaults. */
  private static final String MARKER = "kotlin.jvm.internal.DefaultConstructorMarker";

  private static final ClassValue<Construction> CONSTRUCTIONS =
      new ClassValue<>() {
        @Override
        protected Construction computeValue(Class<?> type) {
          return type.isRecord() ? ofRecord(type) : ofClass(type);
        }
      };

  private final List<Member> members;
  private final @Nullable Constructor<?> constructor;

  /** What Kotlin adds for parameters with defaults; null if there is none. */
  private final @Nullable Constructor<?> defaulting;

  /** Whether each component has a default of Kotlin; empty without such. */
  private final List<Boolean> defaults;

  private final @Nullable Field singleton;
  private final boolean hasHiddenState;
  private final @Nullable String refusal;

  private Construction(
      List<Member> members,
      @Nullable Constructor<?> constructor,
      @Nullable Field singleton,
      boolean hasHiddenState,
      @Nullable String refusal) {
    this(members, constructor, null, List.of(), singleton, hasHiddenState, refusal);
  }

  private Construction(
      List<Member> members,
      @Nullable Constructor<?> constructor,
      @Nullable Constructor<?> defaulting,
      List<Boolean> defaults,
      @Nullable Field singleton,
      boolean hasHiddenState,
      @Nullable String refusal) {
    this.members = members;
    this.constructor = constructor;
    this.defaulting = defaulting;
    this.defaults = defaults;
    this.singleton = singleton;
    this.hasHiddenState = hasHiddenState;
    this.refusal = refusal;
  }

  /**
   * Returns the construction of a class.
   *
   * @param type any class
   */
  public static Construction of(Class<?> type) {
    return CONSTRUCTIONS.get(type);
  }

  /** Returns whether instances of the class can be made from their components. */
  public boolean isPossible() {
    return constructor != null || singleton != null;
  }

  /** Returns what the class lacks; empty if it is not meant to be a value. */
  public String refusal() {
    return refusal == null ? "" : refusal;
  }

  /** Returns the classes of the components; null if the class has a field that can change. */
  public @Nullable List<Class<?>> fixedTypes() {
    if (hasHiddenState) {
      return null;
    }
    List<Class<?>> types = new ArrayList<>();
    for (Member member : members) {
      types.add(member.raw());
    }
    return types;
  }

  List<Member> members() {
    return members;
  }

  @Nullable Constructor<?> constructor() {
    return constructor;
  }

  @Nullable Constructor<?> defaulting() {
    return defaulting;
  }

  List<Boolean> defaults() {
    return defaults;
  }

  @Nullable Field singleton() {
    return singleton;
  }

  private static Construction ofRecord(Class<?> type) {
    List<Member> members = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      members.add(
          new Member(
              component.getName(),
              component.getType(),
              component.getGenericType(),
              component,
              component.getAccessor(),
              null));
    }
    Class<?>[] parameters = members.stream().map(Member::raw).toArray(Class<?>[]::new);
    try {
      Constructor<?> canonical = type.getDeclaredConstructor(parameters);
      return new Construction(members, canonical, null, false, null);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record without canonical constructor: " + type, e);
    }
  }

  private static Construction ofClass(Class<?> type) {
    if (!mayBeAValue(type)) {
      return refused(null);
    }
    if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
      return refused("it is an inner class; make it static");
    }
    Map<String, Field> fields = new LinkedHashMap<>();
    boolean hasHiddenState = false;
    for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
      if (isOfTheJdk(each)) {
        return refused("it extends " + each.getTypeName());
      }
      for (Field field : each.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
          continue;
        }
        boolean isTransient = Modifier.isTransient(field.getModifiers());
        hasHiddenState |= isTransient || !Modifier.isFinal(field.getModifiers());
        if (!isTransient && fields.put(field.getName(), field) != null) {
          return refused("it has two fields of the name " + field.getName());
        }
      }
    }
    if (fields.isEmpty()) {
      Field singleton = singletonOf(type);
      return singleton == null
          ? refused(null)
          : new Construction(List.of(), null, singleton, hasHiddenState, null);
    }
    if (!Modifier.isFinal(type.getModifiers())) {
      return refused("it is not final, and the fields of a subclass would be lost");
    }
    return constructed(type, fields, hasHiddenState);
  }

  private static boolean mayBeAValue(Class<?> type) {
    return !isOfTheJdk(type)
        && !type.isInterface()
        && !type.isArray()
        && !type.isPrimitive()
        && !type.isEnum()
        && !type.isHidden()
        && !type.isSynthetic()
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && !Modifier.isAbstract(type.getModifiers());
  }

  private static boolean isOfTheJdk(Class<?> type) {
    String module = Objects.requireNonNullElse(type.getModule().getName(), "");
    return module.startsWith("java.") || module.startsWith("jdk.");
  }

  private static @Nullable Field singletonOf(Class<?> type) {
    try {
      Field field = type.getDeclaredField(SINGLETON);
      boolean isConstant =
          Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers());
      return isConstant && field.getType() == type ? field : null;
    } catch (NoSuchFieldException e) {
      return null;
    }
  }

  private static Construction constructed(
      Class<?> type, Map<String, Field> fields, boolean hasHiddenState) {
    boolean unnamed = false;
    KotlinConstructor kotlin = KotlinConstructor.of(type);
    // With a parameter of a value class, Kotlin makes it private for the JVM.
    boolean isPublicInKotlin = kotlin != null && !kotlin.isPrivate();
    List<String> names = kotlin == null ? List.of() : kotlin.names();
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      // Kotlin adds a synthetic one for the defaults; a private one is not offered to anybody.
      if (constructor.isSynthetic()
          || (Modifier.isPrivate(constructor.getModifiers()) && !isPublicInKotlin)
          || constructor.getParameterCount() != fields.size()) {
        continue;
      }
      List<Member> members = matched(constructor, fields, names);
      unnamed |=
          names.isEmpty()
              && Arrays.stream(constructor.getParameters()).anyMatch(p -> nameOf(p) == null);
      if (members.size() == fields.size()) {
        boolean isPrimary = members.stream().map(Member::name).toList().equals(names);
        return new Construction(
            members,
            constructor,
            isPrimary ? defaulting(constructor) : null,
            isPrimary && kotlin != null ? kotlin.defaults() : List.of(),
            null,
            hasHiddenState,
            null);
      }
    }
    return refused(
        unnamed
            ? "the parameters of its constructor have no names; compile it with -parameters (in"
                + " Kotlin -java-parameters), or name each by @Name"
            : "it has no constructor, other than private ones, whose parameters are exactly its"
                + " fields "
                + fields.keySet()
                + "; a field that need not be kept is transient");
  }

  /** Returns the constructor that Kotlin adds to one whose parameters have defaults, or null. */
  private static @Nullable Constructor<?> defaulting(Constructor<?> primary) {
    Class<?>[] own = primary.getParameterTypes();
    int masks = (own.length + Integer.SIZE - 1) / Integer.SIZE;
    Class<?>[] all = Arrays.copyOf(own, own.length + masks + 1);
    Arrays.fill(all, own.length, own.length + masks, int.class);
    for (Constructor<?> each : primary.getDeclaringClass().getDeclaredConstructors()) {
      Class<?>[] parameters = each.getParameterTypes();
      if (each.isSynthetic()
          && parameters.length == all.length
          && parameters[all.length - 1].getName().equals(MARKER)) {
        all[all.length - 1] = parameters[all.length - 1];
        if (Arrays.equals(all, parameters)) {
          return each;
        }
      }
    }
    return null;
  }

  /**
   * Returns a member for each parameter that is a field; shorter if one is not.
   *
   * @param names of the parameters, if the class file may lack them
   */
  private static List<Member> matched(
      Constructor<?> constructor, Map<String, Field> fields, List<String> names) {
    List<Member> members = new ArrayList<>();
    Map<String, Field> left = new LinkedHashMap<>(fields);
    Parameter[] parameters = constructor.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      Parameter parameter = parameters[i];
      String name = nameOf(parameter);
      if (name == null && names.size() == parameters.length) {
        name = names.get(i);
      }
      Field field = name == null ? null : left.remove(name);
      if (name != null && field != null && field.getType() == parameter.getType()) {
        members.add(
            new Member(
                name,
                parameter.getType(),
                parameter.getParameterizedType(),
                parameter,
                null,
                field));
      }
    }
    return members;
  }

  private static @Nullable String nameOf(Parameter parameter) {
    Name name = parameter.getAnnotation(Name.class);
    return name != null ? name.value() : parameter.isNamePresent() ? parameter.getName() : null;
  }

  private static Construction refused(@Nullable String reason) {
    return new Construction(List.of(), null, null, true, reason);
  }
}
