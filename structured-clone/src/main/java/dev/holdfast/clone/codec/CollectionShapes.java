package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.codec.bytes.NumberArrays;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.IdentityTable;
import dev.holdfast.clone.internal.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists, sets, maps and arrays of objects.
 *
 * <p>The loops over the content are in the methods that are called for the collection, without
 * methods in between: a value that is nested a thousand levels deep must fit on a stack of usual
 * size.
 */
final class CollectionShapes {

  /** Any collection that is not a set. */
  static final class ListShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      Collection<?> list = (Collection<?>) value;
      if (!out.writeReferenceTo(list, list.isEmpty())) {
        writeArray(out, list);
      }
    }

    @Override
    Object copy(Copier copier, Object value) {
      return copyCollection(copier, (Collection<?>) value);
    }
  }

  /** Any set. */
  static final class SetShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      Collection<?> set = (Collection<?>) value;
      if (out.writeReferenceTo(set, set.isEmpty())) {
        return;
      }
      out.enter();
      out.out().tag(WireTag.SET);
      int count = 0;
      for (Object element : set) {
        try {
          out.write(element);
        } catch (CloneException e) {
          throw e.within("[" + count + "]");
        }
        count++;
      }
      out.out().tag(WireTag.SET_END);
      out.out().varint(count);
      out.leave();
    }

    @Override
    Object copy(Copier copier, Object value) {
      return copyCollection(copier, (Collection<?>) value);
    }
  }

  /** Any map that is not a {@link JsObject}. */
  static final class MapShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      Map<?, ?> map = (Map<?, ?>) value;
      if (out.writeReferenceTo(map, map.isEmpty())) {
        return;
      }
      out.enter();
      out.out().tag(WireTag.MAP);
      int count = 0;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        boolean inKey = true;
        try {
          out.write(entry.getKey());
          inKey = false;
          out.write(entry.getValue());
        } catch (CloneException e) {
          throw e.within(inKey ? ".keys()" : Paths.entry(entry.getKey()));
        }
        count += 2;
      }
      out.out().tag(WireTag.MAP_END);
      out.out().varint(count);
      out.leave();
    }

    @Override
    Object copy(Copier copier, Object value) {
      Map<?, ?> original = (Map<?, ?>) value;
      Object known = copier.known(original);
      if (known != null) {
        return known;
      }
      if (isImmutableCollection(original.getClass())) {
        return copyImmutable(copier, original);
      }
      Map<@Nullable Object, @Nullable Object> copy = EmptyCopies.of(original);
      Map<?, ?> result = EmptyCopies.isWrapper(original) ? EmptyCopies.wrapper(copy) : copy;
      copier.register(original, result);
      fill(copier, original, copy);
      return result;
    }

    private static Object copyImmutable(Copier copier, Map<?, ?> original) {
      if (!fill(copier, original, null)) {
        return copier.unchanged(original);
      }
      Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
      fill(copier, original, copy);
      return copier.finish(original, EmptyCopies.immutable(copy));
    }

    /**
     * Copies the entries, into a map if one is given; returns whether any copy differs from the
     * original.
     */
    private static boolean fill(
        Copier copier, Map<?, ?> original, @Nullable Map<@Nullable Object, @Nullable Object> copy) {
      copier.enter();
      boolean changed = false;
      int count = 0;
      for (Map.Entry<?, ?> entry : original.entrySet()) {
        boolean inKey = true;
        try {
          Object key = copier.copy(entry.getKey());
          inKey = false;
          Object element = copier.copy(entry.getValue());
          changed |=
              !IdentityTable.same(key, entry.getKey())
                  || !IdentityTable.same(element, entry.getValue());
          if (copy != null) {
            copy.put(key, element);
          }
        } catch (CloneException e) {
          throw e.within(inKey ? ".keys()" : Paths.entry(entry.getKey()));
        }
        count++;
      }
      copier.leave();
      requireDistinct(copy != null && copy.size() < count, "keys", original);
      return changed;
    }
  }

  /** An array of objects. */
  static final class ObjectsShape extends ClassShape {

    private final boolean immutableElements;

    ObjectsShape(boolean immutableElements) {
      this.immutableElements = immutableElements;
    }

    @Override
    void encode(Encoder out, Object value) {
      if (!out.writeReference(value)) {
        writeArray(out, Arrays.asList((@Nullable Object[]) value));
      }
    }

    @Override
    Object copy(Copier copier, Object value) {
      if (immutableElements) {
        return copier.copyOnce(value, array -> ((@Nullable Object[]) array).clone());
      }
      Object known = copier.known(value);
      if (known != null) {
        return known;
      }
      @Nullable Object[] copy = ((@Nullable Object[]) value).clone();
      copier.register(value, copy);
      copier.enter();
      for (int i = 0; i < copy.length; i++) {
        try {
          copy[i] = copier.copy(copy[i]);
        } catch (CloneException e) {
          throw e.within("[" + i + "]");
        } catch (ArrayStoreException e) {
          Class<?> place = copy.getClass().getComponentType();
          throw new CloneException(
                  "the copy does not fit a place of type " + place.getTypeName() + ": " + e,
                  place,
                  e)
              .within("[" + i + "]");
        }
      }
      copier.leave();
      return copy;
    }
  }

  private static void writeArray(Encoder out, Collection<?> list) {
    out.enter();
    int size = list.size();
    out.out().tag(WireTag.DENSE_ARRAY);
    out.out().varint(size);
    int written = out.marksClasses() ? 0 : NumberArrays.write(out.out(), list, size);
    if (written < size) {
      int index = 0;
      for (Object element : list) {
        try {
          if (index >= written) {
            out.write(element);
          }
        } catch (CloneException e) {
          throw e.within("[" + index + "]");
        }
        index++;
      }
      written = index;
    }
    if (written != size) {
      throw new CloneException("changed by another thread meanwhile", list.getClass());
    }
    out.out().tag(WireTag.DENSE_ARRAY_END);
    out.out().varint(0);
    out.out().varint(size);
    out.leave();
  }

  private static Object copyCollection(Copier copier, Collection<?> original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    if (ClassShape.isImmutableCollection(original.getClass())) {
      return copyImmutable(copier, original);
    }
    Collection<@Nullable Object> copy = EmptyCopies.of(original);
    Collection<?> result = EmptyCopies.isWrapper(original) ? EmptyCopies.wrapper(copy) : copy;
    copier.register(original, result);
    fill(copier, original, copy);
    return result;
  }

  /** Most contain nothing mutable; only for the others does a second pass make a copy. */
  private static Object copyImmutable(Copier copier, Collection<?> original) {
    if (!fill(copier, original, null)) {
      return copier.unchanged(original);
    }
    Collection<@Nullable Object> copy =
        original instanceof Set<?> ? new LinkedHashSet<>() : new ArrayList<>(original.size());
    fill(copier, original, copy);
    return copier.finish(original, EmptyCopies.immutable(copy));
  }

  /**
   * Copies the elements, into a collection if one is given; returns whether any copy differs from
   * the original.
   */
  private static boolean fill(
      Copier copier, Collection<?> original, @Nullable Collection<@Nullable Object> copy) {
    copier.enter();
    boolean changed = false;
    int index = 0;
    for (Object element : original) {
      try {
        Object elementCopy = copier.copy(element);
        changed |= !IdentityTable.same(elementCopy, element);
        if (copy != null) {
          copy.add(elementCopy);
        }
      } catch (CloneException e) {
        throw e.within("[" + index + "]");
      }
      index++;
    }
    copier.leave();
    requireDistinct(copy instanceof Set<?> && copy.size() < index, "elements", original);
    return changed;
  }

  private static void requireDistinct(boolean lost, String what, Object original) {
    if (lost) {
      throw new CloneException(
          "two " + what + " are equal in the copy, in which times are cut to the millisecond",
          original.getClass());
    }
  }

  private CollectionShapes() {}
}
