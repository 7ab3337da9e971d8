package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.CloneBounds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.SequencedCollection;
import java.util.SequencedSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads arrays and sets as a Java collection. */
final class CollectionReader extends TypeReader {

  private final TypeReader elements;
  private final IntFunction<Collection<@Nullable Object>> empty;
  private final boolean hashed;

  /** Whether what is read here becomes an array: nothing may refer to the list before that. */
  private final boolean isForArray;

  CollectionReader(Class<?> type, TypeReader elements) {
    this(type, elements, /* isForArray= */ false);
  }

  CollectionReader(Class<?> type, TypeReader elements, boolean isForArray) {
    super(type);
    this.elements = elements;
    this.empty = supplier(type);
    this.hashed = Set.class.isAssignableFrom(type);
    this.isForArray = isForArray;
  }

  private static IntFunction<Collection<@Nullable Object>> supplier(Class<?> type) {
    if (type == List.class
        || type == ArrayList.class
        || type == Collection.class
        || type == SequencedCollection.class
        || type == Iterable.class) {
      return ArrayList::new;
    }
    if (type == Set.class || type == LinkedHashSet.class || type == SequencedSet.class) {
      return LinkedHashSet::newLinkedHashSet;
    }
    if (type == HashSet.class) {
      return HashSet::newHashSet;
    }
    if (type == SortedSet.class || type == NavigableSet.class || type == TreeSet.class) {
      return _ -> new TreeSet<>();
    }
    if (type == Deque.class || type == Queue.class || type == ArrayDeque.class) {
      return ArrayDeque::new;
    }
    throw TypeReaders.unsupported(type);
  }

  TypeReader elements() {
    return elements;
  }

  @Override
  boolean isRebuilt() {
    return elements.isReadAsCopied(PassedType.none());
  }

  @Override
  @Nullable Object rebuilt(Object value) {
    if (!(value instanceof Collection<?> original) || value instanceof JsValue) {
      return null;
    }
    Collection<@Nullable Object> rebuilt =
        empty.apply(Math.min(original.size(), CloneBounds.CAPACITY_AT_FIRST_MAX));
    for (Object element : original) {
      if (element != null && !ClassShape.of(element.getClass()).isImmutable()) {
        return null;
      }
      add(rebuilt, element);
    }
    return rebuilt;
  }

  @Override
  Object ofAbsent() {
    return empty.apply(0);
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    try {
      elements.requireReadable(checked);
    } catch (CloneException e) {
      throw e.within("[0]");
    }
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.DENSE_ARRAY, WireTag.SPARSE_ARRAY, WireTag.SET -> readElements(in, tag);
      case WireTag.REFERENCE -> sameObject(in);
      case WireTag.NULL, WireTag.UNDEFINED -> null;
      default -> throw mismatch(tag);
    };
  }

  private Object readElements(Decoder in, int tag) {
    int length = tag == WireTag.DENSE_ARRAY ? in.in().length() : 0;
    Collection<@Nullable Object> collection =
        empty.apply(Math.min(length, CloneBounds.CAPACITY_AT_FIRST_MAX));
    if (isForArray) {
      in.reserveUntilRead();
    } else {
      in.add(collection);
    }
    in.enter();
    if (hashed && !elements.isLeaf()) {
      in.enterKey();
    }
    switch (tag) {
      case WireTag.DENSE_ARRAY -> readDense(in, collection, length);
      case WireTag.SPARSE_ARRAY -> readSparse(in, collection);
      default -> readSet(in, collection);
    }
    if (hashed && !elements.isLeaf()) {
      in.leaveKey();
    }
    in.leave();
    return collection;
  }

  private void readDense(Decoder in, Collection<@Nullable Object> collection, int length) {
    for (int i = 0; i < length; i++) {
      int tag = in.in().tag();
      if (tag == WireTag.HOLE) {
        throw mismatch("an array with holes; read it as JsArray").within("[" + i + "]");
      }
      try {
        add(collection, elements.read(in, tag));
      } catch (CloneException e) {
        throw e.within("[" + i + "]");
      }
    }
    expectEnd(in, WireTag.DENSE_ARRAY_END);
    in.expectCount(0, "properties");
    in.expectCount(length, "elements");
  }

  /** A sparse array without holes is read like any other array. */
  private void readSparse(Decoder in, Collection<@Nullable Object> collection) {
    long length = Integer.toUnsignedLong(in.in().varint());
    int count = 0;
    while (in.in().peek() != WireTag.SPARSE_ARRAY_END) {
      if (!in.readName().equals(Integer.toString(count))) {
        throw mismatch("an array with holes or named properties; read it as JsArray")
            .within("[" + count + "]");
      }
      try {
        add(collection, elements.read(in));
      } catch (CloneException e) {
        throw e.within("[" + count + "]");
      }
      count++;
    }
    in.in().skip(WireTag.SPARSE_ARRAY_END);
    in.expectCount(count, "properties");
    in.expectCount(length, "elements");
    if (count < length) {
      throw mismatch("an array with holes; read it as JsArray").within("[" + count + "]");
    }
  }

  private void readSet(Decoder in, Collection<@Nullable Object> collection) {
    int count = 0;
    while (in.in().peek() != WireTag.SET_END) {
      try {
        add(collection, elements.read(in));
      } catch (CloneException e) {
        throw e.within("[" + count + "]");
      }
      count++;
    }
    in.in().skip(WireTag.SET_END);
    in.expectCount(count, "elements");
  }

  private void add(Collection<@Nullable Object> collection, @Nullable Object element) {
    boolean added;
    try {
      added = collection.add(element);
    } catch (NullPointerException | ClassCastException e) {
      throw new CloneException(
          "a " + type().getTypeName() + " refuses the element: " + e, type(), e);
    }
    if (!added) {
      throw mismatch("an element twice");
    }
  }

  private void expectEnd(Decoder in, int end) {
    if (in.in().peek() != end) {
      throw mismatch("an array with named properties; read it as JsArray");
    }
    in.in().skip(end);
  }
}
