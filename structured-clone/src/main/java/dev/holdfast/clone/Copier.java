package dev.holdfast.clone;

import java.util.IdentityHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies one value. What cannot change is its own copy; of the rest each object is copied once, so
 * that shared objects stay shared and cycles closed.
 *
 * <p>A mutable collection is noted before its content is copied. A record or an immutable
 * collection can only be noted afterwards; if it was met again meanwhile, through a collection
 * within it, that inner copy is the copy: the outer one is dropped.
 *
 * <p>Owned by the thread that copies.
 */
final class Copier {

  private static final int UNCHANGED_NOTED_DEPTH = 3;

  private @Nullable IdentityHashMap<Object, Object> copies;
  private int depth;

  @Nullable Object copy(@Nullable Object value) {
    // The most frequent leaves, without the look-up of their class.
    return value == null || value instanceof String || value instanceof Long
        ? value
        : ClassShape.of(value.getClass()).copy(this, value);
  }

  @Nullable Object known(Object original) {
    return copies == null ? null : copies.get(original);
  }

  void note(Object original, Object copy) {
    IdentityHashMap<Object, Object> map = copies;
    if (map == null) {
      map = new IdentityHashMap<>();
      copies = map;
    }
    map.put(original, copy);
  }

  Object copyOnce(Object value, UnaryOperator<Object> copying) {
    Object known = known(value);
    if (known != null) {
      return known;
    }
    Object copy = copying.apply(value);
    note(value, copy);
    return copy;
  }

  void enter() {
    if (++depth > StructuredClone.DEPTH_MAX) {
      throw StructuredClone.tooDeep();
    }
  }

  void leave() {
    depth--;
  }

  /**
   * Ends the copying of an object in which nothing can change.
   *
   * @return the object
   */
  Object unchanged(Object original) {
    // Near the root that is cheaper looked at again than noted; below, objects that share objects
    // that share objects would be looked at exponentially often.
    if (depth >= UNCHANGED_NOTED_DEPTH) {
      note(original, original);
    }
    return original;
  }

  /**
   * Ends the copying of an object that could not be noted before its content was copied.
   *
   * @return the copy that was noted from within, if there is one, else the one given
   */
  Object finish(Object original, Object copy) {
    Object inner = known(original);
    if (inner != null) {
      return inner;
    }
    note(original, copy);
    return copy;
  }
}
