package dev.holdfast.clone.codec;

import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
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
 * Empty collections for the copies of others. A JDK class is kept if it has a further meaning
 * (order, sorting, concurrency); any other implementation becomes the usual one of its interface.
 * The copy of an unmodifiable collection is made unmodifiable when it is complete.
 */
final class EmptyCopies {

  // JdkObsolete: the copy of a LinkedList is a LinkedList.
  @SuppressWarnings({"unchecked", "JdkObsolete"})
  static Collection<@Nullable Object> of(Collection<?> original) {
    Collection<?> empty =
        switch (original) {
          case JsSet _ -> new JsSet();
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

  @SuppressWarnings("unchecked")
  static Map<@Nullable Object, @Nullable Object> of(Map<?, ?> original) {
    Map<?, ?> empty =
        switch (original) {
          case JsMap _ -> new JsMap();
          case LinkedHashMap<?, ?> _ -> new LinkedHashMap<>();
          case EnumMap<?, ?> map -> emptyEnumMap(map);
          case SortedMap<?, ?> map -> new TreeMap<>(((SortedMap<Object, Object>) map).comparator());
          case ConcurrentHashMap<?, ?> _ -> new ConcurrentHashMap<>();
          case IdentityHashMap<?, ?> _ -> new IdentityHashMap<>();
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

  /** Returns whether a collection is one of the JDK's unmodifiable views of another. */
  static boolean isWrapper(Object original) {
    return original.getClass().getName().startsWith("java.util.Collections$Unmodifiable");
  }

  static Collection<?> wrapper(Collection<@Nullable Object> copy) {
    return switch (copy) {
      case NavigableSet<@Nullable Object> set -> Collections.unmodifiableNavigableSet(set);
      case Set<@Nullable Object> set -> Collections.unmodifiableSet(set);
      case List<@Nullable Object> list -> Collections.unmodifiableList(list);
      default -> Collections.unmodifiableCollection(copy);
    };
  }

  static Map<?, ?> wrapper(Map<@Nullable Object, @Nullable Object> copy) {
    return copy instanceof NavigableMap<@Nullable Object, @Nullable Object> sorted
        ? Collections.unmodifiableNavigableMap(sorted)
        : Collections.unmodifiableMap(copy);
  }

  /** Returns an immutable collection of the elements: one that is its own copy, if possible. */
  static Collection<?> immutable(Collection<@Nullable Object> copy) {
    if (copy.contains(null)) {
      return wrapper(copy);
    }
    return copy instanceof Set<?> ? Set.copyOf(copy) : List.copyOf(copy);
  }

  static Map<?, ?> immutable(Map<@Nullable Object, @Nullable Object> copy) {
    return copy.containsKey(null) || copy.containsValue(null) ? wrapper(copy) : Map.copyOf(copy);
  }

  private EmptyCopies() {}
}
