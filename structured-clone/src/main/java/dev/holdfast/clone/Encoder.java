package dev.holdfast.clone;

import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one value.
 *
 * <p>The common leaves are told apart here, everything else by the {@link ClassShape} of its class.
 * Objects are numbered as they appear, so that a second appearance is a reference; the numbers are
 * part of the format, hence every JavaScript object takes one, also those that Java has no identity
 * for.
 *
 * <p>Owned by the thread that encodes.
 */
final class Encoder {

  private static final int CAPACITY_AT_FIRST_BYTES = 128;

  private final ByteSink out = new ByteSink(CAPACITY_AT_FIRST_BYTES);
  private @Nullable IdentityTable written;
  private int depth;

  byte[] encode(@Nullable Object value) {
    out.tag(Tag.VERSION);
    out.tag(Tag.VERSION_WRITTEN);
    write(value);
    return out.toByteArray();
  }

  ByteSink out() {
    return out;
  }

  void write(@Nullable Object value) {
    switch (value) {
      case null -> out.tag(Tag.NULL);
      case String text -> out.string(text);
      case Long number -> writeLong(number);
      case Integer number -> writeLong(number);
      case Boolean truth -> out.tag(truth ? Tag.TRUE : Tag.FALSE);
      case Double number -> out.taggedDouble(Tag.DOUBLE, number);
      default -> ClassShape.of(value.getClass()).encode(this, value);
    }
  }

  /** A small integer is one, a larger one that is a double is that, and any other is a BigInt. */
  void writeLong(long value) {
    if (JsNumbers.isSmallInteger(value)) {
      out.int32((int) value);
    } else if (JsNumbers.isExactInteger(value)) {
      out.taggedDouble(Tag.DOUBLE, (double) value);
    } else {
      out.bigInt(value);
    }
  }

  /**
   * Numbers an object, or writes a reference to its first appearance.
   *
   * @return whether it was a reference, and nothing is left to write
   */
  boolean writeReference(Object value) {
    IdentityTable table = written;
    if (table == null) {
      table = new IdentityTable();
      written = table;
    }
    int id = table.put(value);
    if (id < 0) {
      return false;
    }
    out.tag(Tag.REFERENCE);
    out.varint(id);
    return true;
  }

  /** Writes a reference to an object that has appeared; does nothing if it has not. */
  boolean writeKnownReference(Object value) {
    int id = written == null ? -1 : written.find(value);
    if (id < 0) {
      return false;
    }
    out.tag(Tag.REFERENCE);
    out.varint(id);
    return true;
  }

  /** Takes a number for a JavaScript object that no other value can refer to. */
  void skipNumber() {
    writeReference(new Object());
  }

  void enter() {
    if (++depth > StructuredClone.DEPTH_MAX) {
      throw StructuredClone.tooDeep();
    }
  }

  void leave() {
    depth--;
  }

  void writeInstant(Instant instant) {
    if (writeReference(instant)) {
      return;
    }
    if (instant.getNano() % 1_000_000 != 0) {
      throw new CloneException(
          "a Date holds milliseconds, " + instant + " is finer; use truncatedTo(ChronoUnit.MILLIS)",
          Instant.class);
    }
    int millisOfSecond = instant.getNano() / 1_000_000;
    writeTime(instant.getEpochSecond() * 1e3 + millisOfSecond, instant);
  }

  void writeTime(double epochMillis, Object date) {
    if (Math.abs(epochMillis) > StructuredClone.DATE_MILLIS_MAX) {
      throw new CloneException(date + " is beyond the range of a Date", date.getClass());
    }
    out.taggedDouble(Tag.DATE, epochMillis);
  }

  void writeList(Collection<?> list) {
    // The JVM shares one empty immutable list. As a reference it would come back as one mutable
    // list in two places.
    if (list.isEmpty() && ClassShape.isImmutableCollection(list.getClass())) {
      skipNumber();
    } else if (writeReference(list)) {
      return;
    }
    writeElements(list);
  }

  void writeArray(@Nullable Object[] array) {
    if (!writeReference(array)) {
      writeElements(Arrays.asList(array));
    }
  }

  private void writeElements(Collection<?> list) {
    enter();
    int size = list.size();
    out.tag(Tag.DENSE_ARRAY);
    out.varint(size);
    boolean asDoubles = NumberArrays.areDoubles(list);
    int index = 0;
    for (Object element : list) {
      writeElement(element, index++, asDoubles);
    }
    if (index != size) {
      throw new CloneException("a list that another thread changes", list.getClass());
    }
    out.tag(Tag.DENSE_ARRAY_END);
    out.varint(0);
    out.varint(size);
    leave();
  }

  void writeElement(@Nullable Object element, long index, boolean asDoubles) {
    if (asDoubles && element instanceof Number number) {
      out.taggedDouble(Tag.DOUBLE, number.doubleValue());
      return;
    }
    try {
      write(element);
    } catch (CloneException e) {
      throw e.within("[" + index + "]");
    }
  }

  void writeSet(Collection<?> set) {
    if (set.isEmpty() && ClassShape.isImmutableCollection(set.getClass())) {
      skipNumber();
    } else if (writeReference(set)) {
      return;
    }
    enter();
    out.tag(Tag.SET);
    int count = 0;
    for (Object element : set) {
      writeElement(element, count++, false);
    }
    out.tag(Tag.SET_END);
    out.varint(count);
    leave();
  }

  void writeMap(Map<?, ?> map) {
    if (map.isEmpty() && ClassShape.isImmutableCollection(map.getClass())) {
      skipNumber();
    } else if (writeReference(map)) {
      return;
    }
    enter();
    out.tag(Tag.MAP);
    int count = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      writeEntry(entry.getKey(), entry.getValue());
      count++;
    }
    out.tag(Tag.MAP_END);
    out.varint(2 * count);
    leave();
  }

  private void writeEntry(@Nullable Object key, @Nullable Object value) {
    try {
      write(key);
    } catch (CloneException e) {
      throw e.within(".keys()");
    }
    try {
      write(value);
    } catch (CloneException e) {
      throw e.within(Paths.entry(key));
    }
  }

  void writeRecord(Object value, RecordShape shape) {
    if (writeReference(value)) {
      return;
    }
    enter();
    out.tag(Tag.OBJECT);
    @Nullable Object[] values = shape.values(value);
    byte[][] keys = shape.encodedNames();
    for (int i = 0; i < values.length; i++) {
      byte[] key = keys[i];
      if (key.length == 0) {
        out.string(shape.name(i));
      } else {
        out.bytes(key, 0, key.length);
      }
      try {
        write(values[i]);
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
    }
    out.tag(Tag.OBJECT_END);
    out.varint(values.length);
    leave();
  }

  void writeBigInt(BigInteger value) {
    out.bigInt(Tag.BIG_INT, value);
  }

  void writeBuffer(byte[] bytes) {
    if (!writeReference(bytes)) {
      out.tag(Tag.ARRAY_BUFFER);
      out.varint(bytes.length);
      out.bytes(bytes, 0, bytes.length);
    }
  }
}
