package dev.holdfast.clone.codec;

import dev.holdfast.clone.codec.bytes.WireTag;
import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads arrays as a Java array of objects. */
final class ArrayReader extends TypeReader {

  private final CollectionReader list;

  ArrayReader(Class<?> type, TypeReader elements) {
    super(type);
    this.list = new CollectionReader(List.class, elements, /* isForArray= */ true);
  }

  /** An array of a class below the declared one is read as one of the declared class. */
  @Override
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return Modifier.isFinal(type().getComponentType().getModifiers())
        && list.elements().isReadAsCopied(checked);
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    list.requireReadable(checked);
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    if (tag == WireTag.REFERENCE) {
      return sameObject(in);
    }
    if (tag != WireTag.NULL
        && tag != WireTag.UNDEFINED
        && tag != WireTag.DENSE_ARRAY
        && tag != WireTag.SPARSE_ARRAY) {
      throw mismatch(tag);
    }
    int id = in.last() + 1;
    List<?> elements = (List<?>) list.read(in, tag);
    if (elements == null) {
      return null;
    }
    @Nullable Object[] array =
        (Object[]) Array.newInstance(type().getComponentType(), elements.size());
    for (int i = 0; i < array.length; i++) {
      array[i] = elements.get(i);
    }
    in.set(id, array);
    return array;
  }
}
