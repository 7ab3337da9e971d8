package dev.holdfast.clone;

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads arrays and sets as a Java collection. */
final class CollectionReader extends TypeReader {

  private final TypeReader elements;
  private final Supplier<Collection<@Nullable Object>> empty;
  private final boolean hashed;

  CollectionReader(Class<?> type, TypeReader elements) {
    super(type);
    this.elements = elements;
    this.empty = supplier(type);
    this.hashed = Set.class.isAssignableFrom(type);
  }

  private static Supplier<Collection<@Nullable Object>> supplier(Class<?> type) {
    if (type == List.class
        || type == ArrayList.class
        || type == Collection.class
        || type == SequencedCollection.class
        || type == Iterable.class) {
      return ArrayList::new;
    }
    if (type == Set.class || type == LinkedHashSet.class || type == SequencedSet.class) {
      return LinkedHashSet::new;
    }
    if (type == HashSet.class) {
      return HashSet::new;
    }
    if (type == SortedSet.class || type == NavigableSet.class || type == TreeSet.class) {
      return TreeSet::new;
    }
    if (type == Deque.class || type == Queue.class || type == ArrayDeque.class) {
      return ArrayDeque::new;
    }
    throw TypeReaders.unsupported(type);
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return switch (tag) {
      case Tag.DENSE_ARRAY, Tag.SPARSE_ARRAY, Tag.SET -> readElements(in, tag);
      case Tag.REFERENCE -> sameObject(in);
      case Tag.NULL, Tag.UNDEFINED -> null;
      default -> throw mismatch(tag);
    };
  }

  private Object readElements(Decoder in, int tag) {
    Collection<@Nullable Object> collection = in.add(empty.get());
    in.enter();
    if (hashed && !elements.isLeaf()) {
      in.enterKey();
    }
    switch (tag) {
      case Tag.DENSE_ARRAY -> readDense(in, collection);
      case Tag.SPARSE_ARRAY -> readSparse(in, collection);
      default -> readSet(in, collection);
    }
    if (hashed && !elements.isLeaf()) {
      in.leaveKey();
    }
    in.leave();
    return collection;
  }

  private void readDense(Decoder in, Collection<@Nullable Object> collection) {
    int length = in.in().length();
    for (int i = 0; i < length; i++) {
      int tag = in.in().tag();
      if (tag == Tag.HOLE) {
        throw mismatch("an array with holes; read it as JsArray").within("[" + i + "]");
      }
      add(collection, readElement(in, tag, i), i);
    }
    expectEnd(in, Tag.DENSE_ARRAY_END);
    in.expectCount(0, "properties");
    in.expectCount(length, "elements");
  }

  /** An array of the sparse form that has no holes is an array like any other. */
  private void readSparse(Decoder in, Collection<@Nullable Object> collection) {
    long length = Integer.toUnsignedLong(in.in().varint());
    int count = 0;
    while (in.in().peek() != Tag.SPARSE_ARRAY_END) {
      if (!in.readName().equals(Integer.toString(count))) {
        throw mismatch("an array with holes or named properties; read it as JsArray")
            .within("[" + count + "]");
      }
      add(collection, readElement(in, in.in().tag(), count), count);
      count++;
    }
    in.in().skip(Tag.SPARSE_ARRAY_END);
    in.expectCount(count, "properties");
    in.expectCount(length, "elements");
    if (count < length) {
      throw mismatch("an array with holes; read it as JsArray").within("[" + count + "]");
    }
  }

  private void readSet(Decoder in, Collection<@Nullable Object> collection) {
    int count = 0;
    while (in.in().peek() != Tag.SET_END) {
      add(collection, readElement(in, in.in().tag(), count), count);
      count++;
    }
    in.in().skip(Tag.SET_END);
    in.expectCount(count, "elements");
  }

  private @Nullable Object readElement(Decoder in, int tag, int index) {
    try {
      return elements.read(in, tag);
    } catch (CloneException e) {
      throw e.within("[" + index + "]");
    }
  }

  private void add(Collection<@Nullable Object> collection, @Nullable Object element, int index) {
    boolean added;
    try {
      added = collection.add(element);
    } catch (NullPointerException | ClassCastException e) {
      throw new CloneException(
              "a " + type().getTypeName() + " refuses the element: " + e, type(), e)
          .within("[" + index + "]");
    }
    if (!added) {
      throw mismatch("an element twice").within("[" + index + "]");
    }
  }

  private void expectEnd(Decoder in, int end) {
    if (in.in().peek() != end) {
      throw mismatch("an array with named properties; read it as JsArray");
    }
    in.in().skip(end);
  }
}
