package dev.holdfast.clone.codec;

import dev.holdfast.clone.internal.CloneBounds;
import java.util.IdentityHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies one value. An immutable value is its own copy; every other object is copied once, so that
 * shared objects stay shared and cycles stay closed.
 *
 * <p>A mutable collection is recorded before its content is copied. A record or an immutable
 * collection can be recorded only afterwards. If it was reached again in between, through a
 * collection within it, that inner copy is used and the outer one is dropped.
 *
 * <p>Owned by the thread that copies.
 */
sealed class Copier permits Copier.Converting {

  private static final int UNCHANGED_NOTED_DEPTH = 3;

  private @Nullable IdentityHashMap<Object, Object> copies;
  private int depth;

  @Nullable Object copy(@Nullable Object value) {
    // The most frequent leaf values, without a look-up of their class.
    return value == null || value instanceof String || value instanceof Long
        ? value
        : ClassShape.of(value.getClass()).copy(this, value);
  }

  final @Nullable Object known(Object original) {
    return copies == null ? null : copies.get(original);
  }

  final void register(Object original, Object copy) {
    IdentityHashMap<Object, Object> map = copies;
    if (map == null) {
      map = new IdentityHashMap<>();
      copies = map;
    }
    map.put(original, copy);
  }

  final Object copyOnce(Object value, UnaryOperator<Object> copying) {
    Object known = known(value);
    if (known != null) {
      return known;
    }
    Object copy = copying.apply(value);
    register(value, copy);
    return copy;
  }

  final void enter() {
    if (++depth > CloneBounds.DEPTH_MAX) {
      throw ClassShape.tooDeep();
    }
  }

  final void leave() {
    assert depth > 0;
    depth--;
  }

  /**
   * Ends the copying of an immutable object.
   *
   * @return the object
   */
  final Object unchanged(Object original) {
    // Near the root, checking again is cheaper than recording; deeper, objects that share objects
    // that share objects would be checked exponentially often.
    if (depth >= UNCHANGED_NOTED_DEPTH) {
      register(original, original);
    }
    return original;
  }

  /**
   * Ends the copying of an object that could not be recorded before its content was copied.
   *
   * @return the copy that was recorded from within, if there is one, otherwise the given copy
   */
  final Object finish(Object original, Object copy) {
    Object inner = known(original);
    if (inner != null) {
      return inner;
    }
    register(original, copy);
    return copy;
  }

  /**
   * A copier with converters: the copy of a converted value is what is read from its stored form. A
   * separate class, because the other one is on the stack once for each level of a value.
   */
  static final class Converting extends Copier {

    private final StructuredClone clone;

    Converting(StructuredClone clone) {
      this.clone = clone;
    }

    @Override
    @Nullable Object copy(@Nullable Object value) {
      if (value == null || value instanceof String || value instanceof Long) {
        return value;
      }
      ClassShape shape = ClassShape.of(value.getClass());
      return shape.isImmutable() || clone.converterOf(value.getClass()) == null
          ? shape.copy(this, value)
          : copyOnce(value, clone::storedAndRead);
    }
  }
}
