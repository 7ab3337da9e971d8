package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.PassedType.PassedClasses;
import dev.holdfast.clone.codec.bytes.ByteSink;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.IdentityTable;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Writes one value.
 *
 * <p>The common leaves are distinguished here, everything else by the {@link ClassShape} of its
 * class. Objects are numbered as they appear, so that a second appearance is a reference; the
 * numbers are part of the format, hence every JavaScript object takes one, also those that Java has
 * no identity for.
 *
 * <p>Owned by the thread that encodes.
 */
final class Encoder {

  private static final int CAPACITY_AT_FIRST_BYTES = 128;

  private final ByteSink out = new ByteSink(CAPACITY_AT_FIRST_BYTES);
  private final TypeReaders readers;

  /** In a field, because a value nests as deep as frames are small. */
  private final boolean converts;

  /** Whether classes of the JDK are marked where the natural type of a value is another one. */
  private boolean marksClasses;

  /** Whether what comes next is the content of an {@code Optional}. */
  private boolean isContent;

  private @Nullable IdentityTable written;
  private int depth;

  /** Whether a record that comes next is to be readable as its own class. */
  private boolean checksRecords;

  /**
   * Creates an encoder.
   *
   * @param readers what the written values are read with
   */
  Encoder(TypeReaders readers) {
    this.readers = readers;
    this.converts = readers.hasConverters();
  }

  TypeReaders readers() {
    return readers;
  }

  /** Makes {@link #encode} refuse records that cannot be read as their own class. */
  Encoder checkRecords() {
    checksRecords = true;
    return this;
  }

  /** Makes {@link #encode} mark the classes of {@link PassedClasses}. */
  Encoder markClasses() {
    marksClasses = true;
    return this;
  }

  boolean marksClasses() {
    return marksClasses;
  }

  /** Returns whether a record that comes next is to be readable as its own class. */
  boolean checksRecords() {
    return checksRecords;
  }

  /** Within a record that was checked, the declared types have been checked with it. */
  void setChecksRecords(boolean checks) {
    checksRecords = checks;
  }

  byte[] encode(@Nullable Object value) {
    out.tag(WireTag.VERSION);
    out.tag(WireTag.VERSION_WRITTEN);
    write(value);
    assert depth == 0;
    return out.toByteArray();
  }

  ByteSink out() {
    return out;
  }

  void write(@Nullable Object value) {
    if (marksClasses) {
      mark(value);
    }
    if (value == null) {
      out.tag(WireTag.NULL);
    } else if (value instanceof String text) {
      out.string(text);
    } else if (value instanceof Long number) {
      writeLong(number);
    } else if (value instanceof Integer number) {
      writeLong(number);
    } else if (value instanceof Boolean truth) {
      out.tag(truth ? WireTag.TRUE : WireTag.FALSE);
    } else if (value instanceof Double number) {
      out.taggedDouble(WireTag.DOUBLE, number);
    } else if (!converts || !writeConverted(value)) {
      ClassShape.of(value.getClass()).encode(this, value);
    }
  }

  /** Writes the content of an {@code Optional}, or null. */
  void writeContent(@Nullable Object content) {
    isContent = true;
    write(content);
    isContent = false;
  }

  private void mark(@Nullable Object value) {
    int mark = value == null ? PassedClasses.NONE : PassedClasses.markOf(value);
    if (isContent) {
      isContent = false;
      mark |= PassedClasses.OPTIONAL;
    }
    if (mark != PassedClasses.NONE) {
      out.tag(WireTag.CLASS);
      out.tag(mark);
    }
  }

  /** Writes what a converter makes of a value; does nothing if none converts its class. */
  private boolean writeConverted(Object value) {
    ValueConverter converter = readers.converterOf(value.getClass());
    if (converter == null) {
      return false;
    }
    enter(); // a converter may return what it converts
    write(stored(converter, value));
    leave();
    return true;
  }

  private static Object stored(ValueConverter converter, Object value) {
    Class<?> type = value.getClass();
    try {
      Object stored = converter.toStored(value);
      if (converter.storedType().isInstance(stored)) {
        return stored;
      }
      throw new CloneException(
          "the codec of "
              + type.getTypeName()
              + " stores "
              + converter.storedType().getTypeName()
              + ", and has returned "
              + (stored == null ? "null" : stored.getClass().getTypeName()),
          type);
    } catch (CloneException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CloneException("the codec of " + type.getTypeName() + " failed: " + e, type, e);
    }
  }

  /** A small integer is one, a larger one that is a double is that, and any other is a BigInt. */
  void writeLong(long value) {
    if (JsNumbers.isSmallInteger(value)) {
      out.int32((int) value);
    } else if (JsNumbers.isExactInteger(value)) {
      out.taggedDouble(WireTag.DOUBLE, (double) value);
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
    out.tag(WireTag.REFERENCE);
    out.varint(id);
    return true;
  }

  /** Writes a reference to an object that has appeared; does nothing if it has not. */
  boolean writeKnownReference(Object value) {
    int id = written == null ? -1 : written.find(value);
    if (id < 0) {
      return false;
    }
    out.tag(WireTag.REFERENCE);
    out.varint(id);
    return true;
  }

  /**
   * Numbers a collection as {@link #writeReference} does. An empty immutable one is never written
   * as a reference: the JVM shares one instance, and it would come back as one mutable collection
   * in two places.
   */
  boolean writeReferenceTo(Object collection, boolean isEmpty) {
    return writeReference(
        isEmpty && ClassShape.isImmutableCollection(collection.getClass())
            ? new Object()
            : collection);
  }

  void enter() {
    if (++depth > CloneBounds.DEPTH_MAX) {
      throw ClassShape.tooDeep();
    }
  }

  void leave() {
    assert depth > 0;
    depth--;
  }

  void writeInstant(Instant instant) {
    // The JDK has one instance of this time: most often two of them were two Dates.
    if (writeReference(instant.equals(Instant.EPOCH) ? new Object() : instant)) {
      return;
    }
    writeTime(millis(instant), instant);
  }

  void writeTime(double epochMillis, Object date) {
    requireDate(epochMillis, date);
    out.taggedDouble(WireTag.DATE, epochMillis);
  }

  /** Refuses a time that no Date holds, also in a copy: a copy is what a reader would get. */
  static void requireDate(double epochMillis, Object date) {
    if (Math.abs(epochMillis) > CloneBounds.DATE_MILLIS_MAX) {
      throw new CloneException(date + " is beyond the range of a Date", date.getClass());
    }
  }

  /** {@return a time in milliseconds, cut towards the past, also before 1970} */
  static double millis(Instant instant) {
    // The nanoseconds count from the second before.
    int millisOfSecond = instant.getNano() / 1_000_000;
    return instant.getEpochSecond() * 1e3 + millisOfSecond;
  }

  void writeBigInt(BigInteger value) {
    out.bigInt(WireTag.BIG_INT, value);
  }

  void writeBuffer(byte[] bytes) {
    if (!writeReference(bytes)) {
      out.tag(WireTag.ARRAY_BUFFER);
      out.varint(bytes.length);
      out.bytes(bytes, 0, bytes.length);
    }
  }
}
