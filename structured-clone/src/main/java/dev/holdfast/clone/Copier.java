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

  private @Nullable IdentityHashMap<Object, Object> copies;
  private int depth;

  @Nullable Object copy(@Nullable Object value) {
    return value == null ? null : ClassShape.of(value.getClass()).copy(this, value);
  }

  /** Copies an element, and names its place in a failure. */
  @Nullable Object copyAt(@Nullable Object value, long index) {
    try {
      return copy(value);
    } catch (CloneException e) {
      throw e.within("[" + index + "]");
    }
  }

  /** Copies the value of an entry, and names its place in a failure. */
  @Nullable Object copyValue(@Nullable Object value, @Nullable Object key) {
    try {
      return copy(value);
    } catch (CloneException e) {
      throw e.within(Paths.entry(key));
    }
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

  Object copyArray(@Nullable Object[] array) {
    Object known = known(array);
    if (known != null) {
      return known;
    }
    @Nullable Object[] copy = array.clone();
    note(array, copy);
    enter();
    for (int i = 0; i < copy.length; i++) {
      Object element = copyAt(copy[i], i);
      try {
        copy[i] = element;
      } catch (ArrayStoreException e) {
        throw otherClass(element, array.getClass().getComponentType(), e).within("[" + i + "]");
      }
    }
    leave();
    return copy;
  }

  private static CloneException otherClass(
      @Nullable Object copy, Class<?> place, RuntimeException e) {
    String name = copy == null ? "null" : copy.getClass().getName();
    return new CloneException(
        "a copy of class " + name + " does not fit a place of type " + place.getTypeName(),
        place,
        e);
  }

  Object copyRecord(Object value, RecordShape shape) {
    Object known = known(value);
    if (known != null) {
      return known;
    }
    enter();
    @Nullable Object[] values = shape.values(value);
    boolean changed = false;
    for (int i = 0; i < values.length; i++) {
      Object copy;
      try {
        copy = copy(values[i]);
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
      changed |= !IdentityTable.same(copy, values[i]);
      values[i] = copy;
    }
    leave();
    return changed ? noteLate(value, shape.create(values)) : value;
  }

  /** Notes a copy that was made after its content; an earlier one from within wins. */
  Object noteLate(Object original, Object copy) {
    Object inner = known(original);
    if (inner != null) {
      return inner;
    }
    note(original, copy);
    return copy;
  }
}
