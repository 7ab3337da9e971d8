package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.codec.component.Construction;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.Paths;
import java.lang.reflect.Modifier;
import java.util.HashSet;
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
    for (JavaType argument : type.arguments()) {
      requireCopyable(argument);
    }
    if (raw.isSealed()) {
      for (Class<?> each : raw.getPermittedSubclasses()) {
        requireCopyable(JavaType.of(each));
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
      requireCopyableComponents(raw);
    }
  }

  private void requireCopyableComponents(Class<?> type) {
    Components components = Components.of(type);
    for (int i = 0; i < components.count(); i++) {
      try {
        requireCopyable(JavaType.of(components.type(i)));
      } catch (CloneException e) {
        throw e.within(Paths.property(components.name(i)));
      }
    }
  }
}
