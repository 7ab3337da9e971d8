package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.codec.component.Tags;
import dev.holdfast.clone.internal.Paths;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of a sealed type: objects by the name of their class, which is their first property,
 * and the constants of an enum by theirs.
 */
final class SealedReader extends TypeReader {

  private final Map<String, RecordReader> byTag = new LinkedHashMap<>();
  private final TypeReaders readers;
  private @Nullable TypeReader constants;

  /** Reads what is of no known class; null if such values are refused. */
  private @Nullable RecordReader fallback;

  SealedReader(JavaType type, TypeReaders readers) {
    super(type.raw());
    this.readers = readers;
    addClassesOf(type);
  }

  private void addClassesOf(JavaType sealed) {
    for (Class<?> each : sealed.raw().getPermittedSubclasses()) {
      if (each.isEnum()) {
        addEnum(each);
        continue;
      }
      JavaType resolved = resolved(each, sealed);
      if (each.isSealed()) {
        addClassesOf(resolved);
      } else if (Modifier.isFinal(each.getModifiers())) {
        add(resolved);
      } else {
        throw new CloneException(
            each.getTypeName()
                + " is not sealed, so the classes of "
                + type().getTypeName()
                + " are not known; make it sealed or final",
            type());
      }
    }
  }

  private void addEnum(Class<?> type) {
    if (constants != null) {
      throw new CloneException(
          "the sealed "
              + type().getTypeName()
              + " has two enums, "
              + constants.type().getTypeName()
              + " and "
              + type.getTypeName()
              + "; values are stored by the names of their constants, so it can have one",
          type());
    }
    constants = readers.of(type);
  }

  private void add(JavaType type) {
    if (!(readers.of(type) instanceof RecordReader reader)) {
      throw TypeReaders.unsupported(type.raw());
    }
    if (reader.isFallback()) {
      if (fallback != null) {
        throw new CloneException(
            "the sealed "
                + type().getTypeName()
                + " has @Fallback twice: "
                + fallback.type().getTypeName()
                + " and "
                + type.raw().getTypeName(),
            type());
      }
      fallback = reader;
    }
    for (String tag : Tags.allOf(type.raw())) {
      RecordReader other = byTag.putIfAbsent(tag, reader);
      if (other != null && other != reader) {
        throw new CloneException(
            type.raw().getTypeName()
                + " and "
                + other.type().getTypeName()
                + " of the sealed "
                + type().getTypeName()
                + " have both the name \""
                + tag
                + "\"; give one of them another by @Tag",
            type());
      }
    }
  }

  /** Returns a direct subclass with the type arguments that follow from the sealed type. */
  static JavaType resolved(Class<?> subclass, JavaType sealed) {
    Map<TypeVariable<?>, JavaType> variables = new HashMap<>();
    List<Type> parents = new ArrayList<>(List.of(subclass.getGenericInterfaces()));
    parents.add(subclass.getGenericSuperclass());
    for (Type parent : parents) {
      if (parent instanceof ParameterizedType p && p.getRawType() == sealed.raw()) {
        Type[] arguments = p.getActualTypeArguments();
        for (int i = 0; i < arguments.length && i < sealed.arguments().size(); i++) {
          if (arguments[i] instanceof TypeVariable<?> variable) {
            variables.put(variable, sealed.argument(i));
          }
        }
      }
    }
    if (variables.isEmpty()) {
      return JavaType.of(subclass);
    }
    List<JavaType> arguments = new ArrayList<>();
    for (TypeVariable<?> parameter : subclass.getTypeParameters()) {
      arguments.add(JavaType.of(parameter, variables));
    }
    return new JavaType(subclass, List.copyOf(arguments));
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.OBJECT -> readObject(in);
      case WireTag.REFERENCE -> sameObject(in);
      case WireTag.NULL, WireTag.UNDEFINED -> null;
      default -> {
        TypeReader named = constants;
        RecordReader unknown = fallback;
        if (unknown != null && WireTag.isString(tag)) {
          int at = in.in().position();
          Object known = named == null ? null : constant(named, in, tag);
          if (known != null) {
            yield known;
          }
          in.in().rewind(at);
          yield unknown.readUnknown(in, tag);
        }
        if (named == null) {
          throw mismatch(tag);
        }
        yield named.read(in, tag);
      }
    };
  }

  private static @Nullable Object constant(TypeReader named, Decoder in, int tag) {
    try {
      return named.read(in, tag);
    } catch (CloneException e) {
      return null; // the fallback is for it
    }
  }

  private Object readObject(Decoder in) {
    int at = in.in().position();
    RecordReader reader = readerOf(in);
    RecordReader unknown = fallback;
    boolean isUnknown = reader == null || reader.holdsUnknown();
    if (isUnknown && unknown != null) {
      in.in().rewind(at);
      return unknown.readUnknown(in, WireTag.OBJECT);
    }
    return Objects.requireNonNull(reader).readTagged(in);
  }

  private @Nullable RecordReader readerOf(Decoder in) {
    if (!in.in().skip(Components.TAG_NAME)) {
      throw mismatch(
          "an object that does not begin with the property \""
              + Tags.PROPERTY
              + "\", which names its class: it was written before the type was sealed, or by other"
              + " code; read it as its class, or as JsObject, and write it again");
    }
    String name = in.readName();
    RecordReader reader = byTag.get(name);
    if (reader == null && fallback == null) {
      throw mismatch(
          "\""
              + Paths.shown(name)
              + "\", which is not among its classes "
              + byTag.keySet()
              + "; give a class that was renamed its old name by @WireTag or @Alias, or one class"
              + " @Fallback for those that are not known");
    }
    return reader;
  }

  @Override
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return !checked.add(this)
        || byTag.values().stream().allMatch(each -> each.isReadAsCopied(checked));
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    if (checked.add(this)) {
      byTag.values().forEach(reader -> reader.requireReadable(checked));
    }
  }
}
