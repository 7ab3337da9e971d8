package dev.holdfast.clone;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Copies of collections. Classes of the JDK keep their class where it has a meaning of its own
 * (order, sorting, concurrency); any other implementation becomes the usual one of its interface.
 */
final class CollectionCopies {

  static Object copyCollection(Copier copier, Collection<?> original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    if (ClassShape.isImmutableCollection(original.getClass())) {
      return copyImmutable(copier, original);
    }
    Collection<@Nullable Object> copy = emptyLike(original);
    copier.note(original, copy);
    copier.enter();
    long index = 0;
    for (Object element : original) {
      copy.add(copier.copyAt(element, index++));
    }
    copier.leave();
    return copy;
  }

  private static Object copyImmutable(Copier copier, Collection<?> original) {
    copier.enter();
    List<@Nullable Object> elements = new ArrayList<>(original.size());
    boolean changed = false;
    long index = 0;
    for (Object element : original) {
      Object copy = copier.copyAt(element, index++);
      changed |= !IdentityTable.same(copy, element);
      elements.add(copy);
    }
    copier.leave();
    if (!changed) {
      return original;
    }
    return copier.noteLate(
        original,
        original instanceof Set<?>
            ? Collections.unmodifiableSet(new LinkedHashSet<>(elements))
            : Collections.unmodifiableList(elements));
  }

  // JdkObsolete: the copy of a LinkedList is to be one.
  @SuppressWarnings({"unchecked", "JdkObsolete"})
  private static Collection<@Nullable Object> emptyLike(Collection<?> original) {
    Collection<?> empty =
        switch (original) {
          case ArrayList<?> list -> new ArrayList<>(list.size());
          case LinkedList<?> _ -> new LinkedList<>();
          case List<?> list -> new ArrayList<>(list.size());
          case EnumSet<?> set -> emptyEnumSet(set);
          case SortedSet<?> set -> new TreeSet<>(((SortedSet<Object>) set).comparator());
          case HashSet<?> set when set.getClass() == HashSet.class -> new HashSet<>();
          case Set<?> _ -> new LinkedHashSet<>();
          case PriorityQueue<?> queue ->
              new PriorityQueue<>(((PriorityQueue<Object>) queue).comparator());
          case Queue<?> _ -> new ArrayDeque<>();
          default -> new ArrayList<>(original.size());
        };
    return (Collection<@Nullable Object>) empty;
  }

  private static <E extends Enum<E>> Set<E> emptyEnumSet(EnumSet<E> set) {
    EnumSet<E> empty = set.clone();
    empty.clear();
    return empty;
  }

  static Object copyMap(Copier copier, Map<?, ?> original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    if (ClassShape.isImmutableCollection(original.getClass())) {
      return copyImmutableMap(copier, original);
    }
    Map<@Nullable Object, @Nullable Object> copy = emptyLike(original);
    copier.note(original, copy);
    copier.enter();
    for (Map.Entry<?, ?> entry : original.entrySet()) {
      copy.put(copyKey(copier, entry.getKey()), copier.copyValue(entry.getValue(), entry.getKey()));
    }
    copier.leave();
    return copy;
  }

  private static Object copyImmutableMap(Copier copier, Map<?, ?> original) {
    copier.enter();
    Map<@Nullable Object, @Nullable Object> copy = LinkedHashMap.newLinkedHashMap(original.size());
    boolean changed = false;
    for (Map.Entry<?, ?> entry : original.entrySet()) {
      Object key = copyKey(copier, entry.getKey());
      Object value = copier.copyValue(entry.getValue(), entry.getKey());
      changed |=
          !IdentityTable.same(key, entry.getKey()) || !IdentityTable.same(value, entry.getValue());
      copy.put(key, value);
    }
    copier.leave();
    return changed ? copier.noteLate(original, Collections.unmodifiableMap(copy)) : original;
  }

  private static @Nullable Object copyKey(Copier copier, @Nullable Object key) {
    try {
      return copier.copy(key);
    } catch (CloneException e) {
      throw e.within(".keys()");
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<@Nullable Object, @Nullable Object> emptyLike(Map<?, ?> original) {
    Map<?, ?> empty =
        switch (original) {
          case LinkedHashMap<?, ?> _ -> new LinkedHashMap<>();
          case EnumMap<?, ?> map -> emptyEnumMap(map);
          case SortedMap<?, ?> map -> new TreeMap<>(((SortedMap<Object, Object>) map).comparator());
          case ConcurrentHashMap<?, ?> _ -> new ConcurrentHashMap<>();
          case HashMap<?, ?> _ -> new HashMap<>();
          default -> new LinkedHashMap<>();
        };
    return (Map<@Nullable Object, @Nullable Object>) empty;
  }

  private static <K extends Enum<K>> Map<K, ?> emptyEnumMap(EnumMap<K, ?> map) {
    EnumMap<K, ?> empty = map.clone();
    empty.clear();
    return empty;
  }

  private CollectionCopies() {}
}
