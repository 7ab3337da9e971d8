package dev.holdfast.clone.codec;

import static java.util.stream.Collectors.joining;

import dev.holdfast.clone.CloneException;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A type with its variables resolved: a class and its type arguments; for an array, the element
 * type. A raw type has no arguments.
 */
record JavaType(Class<?> raw, List<JavaType> arguments) implements Type {

  private static final JavaType OBJECT = new JavaType(Object.class, List.of());

  static JavaType of(Type type) {
    return of(type, Map.of());
  }

  /** Resolves a type within a declaration whose variables have these values. */
  static JavaType of(Type type, Map<TypeVariable<?>, JavaType> variables) {
    return switch (type) {
      case JavaType known -> known;
      case Class<?> c when c.isArray() ->
          new JavaType(c, List.of(of(c.getComponentType(), variables)));
      case Class<?> c -> new JavaType(c, List.of());
      case ParameterizedType p ->
          new JavaType(
              (Class<?>) p.getRawType(),
              Arrays.stream(p.getActualTypeArguments()).map(a -> of(a, variables)).toList());
      case GenericArrayType a -> arrayOf(of(a.getGenericComponentType(), variables));
      case WildcardType w -> of(w.getUpperBounds()[0], variables);
      case TypeVariable<?> v -> variables.getOrDefault(v, erasure(v));
      default -> throw new CloneException("unknown kind of type: " + type, null);
    };
  }

  private static JavaType arrayOf(JavaType element) {
    return new JavaType(element.raw.arrayType(), List.of(element));
  }

  /** The class of a variable's first bound; its arguments may mention the variable again. */
  private static JavaType erasure(TypeVariable<?> variable) {
    return switch (variable.getBounds()[0]) {
      case Class<?> c -> of(c);
      case ParameterizedType p -> new JavaType((Class<?>) p.getRawType(), List.of());
      case TypeVariable<?> v -> erasure(v);
      default -> OBJECT;
    };
  }

  /** Returns the values of the variables that the class declares; empty for a raw type. */
  Map<TypeVariable<?>, JavaType> variables() {
    Map<TypeVariable<?>, JavaType> variables = new HashMap<>();
    TypeVariable<?>[] parameters = raw.getTypeParameters();
    for (int i = 0; i < parameters.length && i < arguments.size(); i++) {
      variables.put(parameters[i], arguments.get(i));
    }
    return variables;
  }

  /**
   * Returns a type that a method of an interface declares, as another interface or class inherits
   * it: {@code T} of {@code Base<T>} is {@code String} in a type that extends {@code Base<String>}.
   *
   * @param type what the method declares
   * @param declaring the type that declares the method
   * @param inheriting the same type, or one below it
   */
  static JavaType inherited(Type type, Class<?> declaring, Class<?> inheriting) {
    JavaType parent = parentOf(of(inheriting), declaring);
    return of(type, parent == null ? Map.of() : parent.variables());
  }

  private static @Nullable JavaType parentOf(JavaType type, Class<?> wanted) {
    if (type.raw == wanted) {
      return type;
    }
    List<Type> parents = new ArrayList<>(List.of(type.raw.getGenericInterfaces()));
    Type superclass = type.raw.getGenericSuperclass();
    if (superclass != null) {
      parents.add(superclass);
    }
    for (Type each : parents) {
      JavaType found = parentOf(of(each, type.variables()), wanted);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Override
  public String getTypeName() {
    return raw.isArray()
        ? arguments.getFirst().getTypeName() + "[]"
        : raw.getTypeName()
            + (arguments.isEmpty()
                ? ""
                : arguments.stream().map(JavaType::getTypeName).collect(joining(", ", "<", ">")));
  }

  /** Returns the type as reflection has it; an array without the arguments of its elements. */
  Type toType() {
    return arguments.isEmpty() || raw.isArray()
        ? raw
        : new Parameterized(raw, arguments.stream().map(JavaType::toType).toList());
  }

  /** A class with arguments. */
  private record Parameterized(Class<?> raw, List<Type> arguments) implements ParameterizedType {
    @Override
    public Type[] getActualTypeArguments() {
      return arguments.toArray(Type[]::new);
    }

    @Override
    public Type getRawType() {
      return raw;
    }

    @Override
    public @Nullable Type getOwnerType() {
      return raw.getDeclaringClass();
    }

    @Override
    public String toString() {
      return raw.getTypeName()
          + arguments.stream().map(Type::getTypeName).collect(joining(", ", "<", ">"));
    }
  }

  /** Returns the number of nested levels of type arguments. */
  int depth() {
    return 1 + arguments.stream().mapToInt(JavaType::depth).max().orElse(0);
  }

  /** Returns a type argument, Object for a raw type. */
  JavaType argument(int index) {
    return index < arguments.size() ? arguments.get(index) : OBJECT;
  }
}
