package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.codec.component.Construction;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.Paths;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether values of a declared type can be copied, before there is one. Refuses only what
 * every value would be refused for: an interface or an abstract class may have implementations that
 * can be copied.
 *
 * <p>Owned by the thread that checks.
 */
final class DeclaredTypes {

  private final TypeReaders readers;
  private final Set<JavaType> checked = new HashSet<>();

  DeclaredTypes(TypeReaders readers) {
    this.readers = readers;
  }

  void requireCopyable(JavaType type) {
    Class<?> raw = type.raw();
    if (!checked.add(type)
        || type.depth() > CloneBounds.TYPE_DEPTH_MAX
        || readers.converterOf(raw) != null) {
      return;
    }
    if (hasContent(raw)) {
      type.arguments().forEach(this::requireCopyable);
    }
    if (raw.isSealed()) {
      for (Class<?> each : raw.getPermittedSubclasses()) {
        requireCopyable(SealedReader.resolved(each, type));
      }
    }
    boolean isOpen = raw.isInterface() || Modifier.isAbstract(raw.getModifiers());
    if (isOpen || raw == Object.class || raw.isEnum()) {
      return;
    }
    if (ClassShape.of(raw) instanceof ClassShape.Unsupported unsupported) {
      throw unsupported.failure("copied");
    }
    if (Construction.of(raw).isPossible() && !ClassShape.of(raw).isImmutable()) {
      requireCopyableComponents(type);
    }
  }

  /** Returns whether the arguments of a type are what it contains; others only distinguish. */
  private static boolean hasContent(Class<?> type) {
    return type.isArray()
        || type == Optional.class
        || Iterable.class.isAssignableFrom(type)
        || Map.class.isAssignableFrom(type);
  }

  private void requireCopyableComponents(JavaType type) {
    Components components = Components.of(type.raw());
    for (int i = 0; i < components.count(); i++) {
      try {
        requireCopyable(JavaType.of(components.type(i), type.variables()));
      } catch (CloneException e) {
        throw e.within(Paths.property(components.name(i)));
      }
    }
  }
}
