package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import dev.holdfast.clone.codec.bytes.NumberArrays;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@link JsObject} and {@link JsArray}. For the loops, see {@link CollectionShapes}. */
final class JsCollectionShapes {

  /** Properties. */
  static final class ObjectShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      JsObject object = (JsObject) value;
      if (out.writeReference(object)) {
        return;
      }
      out.enter();
      out.out().tag(WireTag.OBJECT);
      JsObject ordered = hasIndices(object) ? indicesFirst(object) : object;
      for (Map.Entry<String, @Nullable Object> property : ordered.entrySet()) {
        writeName(out, ordered, property.getKey());
        try {
          out.write(property.getValue());
        } catch (CloneException e) {
          throw e.within(Paths.property(property.getKey()));
        }
      }
      out.out().tag(WireTag.OBJECT_END);
      out.out().varint(object.size());
      out.leave();
    }

    @Override
    Object copy(Copier copier, Object value) {
      JsObject original = (JsObject) value;
      Object known = copier.known(original);
      if (known != null) {
        return known;
      }
      JsObject copy = StoredForm.VALUES.emptyObjectLike(original);
      copier.register(original, copy);
      copyProperties(copier, original, copy);
      return copy;
    }
  }

  private static boolean hasIndices(JsObject object) {
    for (String name : object.keySet()) {
      if (JsNumbers.arrayIndex(name) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the properties in JavaScript's order. */
  private static JsObject indicesFirst(JsObject object) {
    List<String> indices = new ArrayList<>(object.keySet());
    indices.removeIf(name -> JsNumbers.arrayIndex(name) < 0);
    indices.sort((a, b) -> Long.compare(JsNumbers.arrayIndex(a), JsNumbers.arrayIndex(b)));
    JsObject ordered = StoredForm.VALUES.emptyObjectLike(object);
    indices.forEach(index -> ordered.put(index, object.get(index)));
    ordered.putAll(object);
    return ordered;
  }

  private static void writeName(Encoder out, JsObject object, String name) {
    long index = JsNumbers.arrayIndex(name);
    if (index >= 0) {
      out.writeLong(index);
    } else if (StoredForm.VALUES.isWideName(object, name)) {
      out.out().twoByteString(name);
    } else {
      out.out().string(name);
    }
  }

  static void copyProperties(Copier copier, JsObject from, JsObject to) {
    copier.enter();
    for (Map.Entry<String, @Nullable Object> property : from.entrySet()) {
      try {
        to.put(property.getKey(), copier.copy(property.getValue()));
      } catch (CloneException e) {
        throw e.within(Paths.property(property.getKey()));
      }
    }
    copier.leave();
  }

  /** Elements, possibly with holes between them, and properties. */
  static final class ArrayShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      JsArray array = (JsArray) value;
      if (out.writeReference(array)) {
        return;
      }
      checkNames(array);
      boolean dense = !array.isSparse() && array.entryCount() == array.length();
      int length = (int) array.length();
      long properties = array.properties().size() + (dense ? 0 : array.entryCount());
      out.enter();
      out.out().tag(dense ? WireTag.DENSE_ARRAY : WireTag.SPARSE_ARRAY);
      out.out().varint(length);
      List<@Nullable Object> packed = StoredForm.VALUES.packed(array);
      int written =
          dense && !StoredForm.VALUES.numbersAsTheyAre(array)
              ? NumberArrays.write(out.out(), packed, length)
              : 0;
      for (int i = written; i < packed.size(); i++) {
        if (!dense) {
          out.writeLong(i);
        }
        try {
          out.write(packed.get(i));
        } catch (CloneException e) {
          throw e.within("[" + i + "]");
        }
      }
      writeRest(out, array);
      out.out().tag(dense ? WireTag.DENSE_ARRAY_END : WireTag.SPARSE_ARRAY_END);
      out.out().varint((int) properties);
      out.out().varint(length);
      out.leave();
    }

    /** Writes the parts that only the sparse form has, and the named properties. */
    private static void writeRest(Encoder out, JsArray array) {
      for (Map.Entry<Long, @Nullable Object> element :
          StoredForm.VALUES.scattered(array).entrySet()) {
        out.writeLong(element.getKey());
        try {
          out.write(element.getValue());
        } catch (CloneException e) {
          throw e.within("[" + element.getKey() + "]");
        }
      }
      for (Map.Entry<String, @Nullable Object> property : array.properties().entrySet()) {
        writeName(out, array.properties(), property.getKey());
        try {
          out.write(property.getValue());
        } catch (CloneException e) {
          throw e.within(Paths.property(property.getKey()));
        }
      }
    }

    private static void checkNames(JsArray array) {
      for (String name : array.properties().keySet()) {
        if (JsNumbers.arrayIndex(name) >= 0 || name.equals("length")) {
          throw new CloneException("an array has no property of this name", JsArray.class)
              .within(Paths.property(name));
        }
      }
    }

    @Override
    Object copy(Copier copier, Object value) {
      JsArray original = (JsArray) value;
      Object known = copier.known(original);
      if (known != null) {
        return known;
      }
      JsArray copy = StoredForm.VALUES.emptyArrayLike(original);
      copier.register(original, copy);
      copier.enter();
      List<@Nullable Object> packed = StoredForm.VALUES.packed(original);
      for (int i = 0; i < packed.size(); i++) {
        try {
          StoredForm.VALUES.append(copy, i, copier.copy(packed.get(i)));
        } catch (CloneException e) {
          throw e.within("[" + i + "]");
        }
      }
      for (Map.Entry<Long, @Nullable Object> element :
          StoredForm.VALUES.scattered(original).entrySet()) {
        try {
          StoredForm.VALUES.append(copy, element.getKey(), copier.copy(element.getValue()));
        } catch (CloneException e) {
          throw e.within("[" + element.getKey() + "]");
        }
      }
      copier.leave();
      copyProperties(copier, original.properties(), copy.properties());
      return copy;
    }
  }

  private JsCollectionShapes() {}
}
