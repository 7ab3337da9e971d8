package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of one journal record of this backend: see {@code docs/formats/rocksdb-batch.md}.
 * Immutable.
 *
 * @param form the meaning of the changes
 * @param changes in ascending order of key
 * @param catalog the change of the catalog; null for none
 * @param firstPart the position of the first part of a batch in parts; 0 for any other batch
 */
public record Batch(
    Form form, List<Change> changes, @Nullable CatalogChange catalog, long firstPart) {

  /** Marks the records of batches in the journal. Never changes. */
  public static final int VIEW_ID = 2;

  /** Creates a batch in one record. */
  public Batch(Form form, List<Change> changes, @Nullable CatalogChange catalog) {
    this(form, changes, catalog, 0);
  }

  /** Creates a batch whose changes are in the parts from a position on. */
  public Batch(long firstPart, @Nullable CatalogChange catalog) {
    this(Form.IN_PARTS, List.of(), catalog, firstPart);
  }

  /** Creates a batch that does not change the catalog. */
  public Batch(Form form, List<Change> changes) {
    this(form, changes, null);
  }

  /** The meaning of the changes of a batch. */
  public enum Form {
    /** Each change applies to the existing pairs. */
    CHANGES(1),
    /** All keys of the object were deleted before the changes. */
    CLEAR(2),
    /** Pairs that the {@link #CLEAR} after this record deletes; nothing to redo. */
    UNDO_PART(3),
    /** Changes of the {@link #IN_PARTS} after this record. */
    PART(4),
    /** The changes are in the parts before this record. */
    IN_PARTS(5);

    private final byte code;

    Form(int code) {
      this.code = (byte) code;
    }

    private static Form of(int code) {
      for (Form form : values()) {
        if (form.code == code) {
          return form;
        }
      }
      throw new IllegalArgumentException("form " + code);
    }
  }

  private static final byte VERSION = 1;

  /** Set in the byte of the form. */
  private static final int HAS_CATALOG_CHANGE = 0x10;

  private static final int HAS_REDO = 1;
  private static final int HAS_UNDO = 2;
  private static final int VARINT_BYTES_MAX = 5;

  /** {@return the length of the payload; may exceed what a record can hold} */
  public long encodedBytes() {
    return encodedBytes(catalog == null ? null : catalog.encode());
  }

  private long encodedBytes(byte @Nullable [] catalogBytes) {
    long bytes = 2L + varintBytes(changes.size());
    for (Change change : changes) {
      bytes += 1 + sizeOf(change.key()) + sizeOf(change.redo()) + sizeOf(change.undo());
    }
    return bytes + (form == Form.IN_PARTS ? Long.BYTES : 0) + sizeOf(catalogBytes);
  }

  /** {@return the payload; {@link #encodedBytes} must fit into an array} */
  public ByteBuffer encode() {
    byte[] catalogBytes = catalog == null ? null : catalog.encode();
    ByteBuffer target = ByteBuffer.allocate(Math.toIntExact(encodedBytes(catalogBytes)));
    target.put(VERSION).put((byte) (form.code | (catalog == null ? 0 : HAS_CATALOG_CHANGE)));
    putVarint(target, changes.size());
    for (Change change : changes) {
      target.put(
          (byte) ((change.redo() == null ? 0 : HAS_REDO) | (change.undo() == null ? 0 : HAS_UNDO)));
      putBytes(target, change.key());
      putBytes(target, change.redo());
      putBytes(target, change.undo());
    }
    if (form == Form.IN_PARTS) {
      target.putLong(firstPart);
    }
    putBytes(target, catalogBytes);
    return target.flip();
  }

  /** {@return whether a payload is one of a batch whose changes are in parts before it} */
  public static boolean isInParts(ByteBuffer payload) {
    return payload.remaining() > 1
        && (payload.get(payload.position() + 1) & ~HAS_CATALOG_CHANGE) == Form.IN_PARTS.code;
  }

  /**
   * Reads a payload.
   *
   * @throws IllegalArgumentException if it is not a payload of this version; the message states
   *     where and why
   */
  public static Batch decode(ByteBuffer payload) {
    ByteBuffer source = payload.duplicate();
    int version = getByte(source, "version");
    if (version != VERSION) {
      throw new IllegalArgumentException("version " + version + ", this program knows 1");
    }
    int formAndFlag = getByte(source, "form");
    Form form = Form.of(formAndFlag & ~HAS_CATALOG_CHANGE);
    int count = getVarint(source, "number of changes");
    // A change takes at least two bytes: a damaged count cannot cause an unbounded allocation.
    List<Change> changes = new ArrayList<>(Math.min(count, source.remaining() / 2));
    byte[] previous = null;
    for (int index = 0; index < count; index++) {
      Change change = decodeChange(source, form);
      if (previous != null && Keys.ORDER.compare(previous, change.key()) >= 0) {
        throw new IllegalArgumentException("keys out of order at byte " + source.position());
      }
      previous = change.key();
      changes.add(change);
    }
    long firstPart = form == Form.IN_PARTS ? getPosition(source) : 0;
    CatalogChange catalog =
        (formAndFlag & HAS_CATALOG_CHANGE) == 0
            ? null
            : CatalogChange.decode(ByteBuffer.wrap(getBytes(source, "catalog change")));
    if (source.hasRemaining()) {
      throw new IllegalArgumentException(source.remaining() + " bytes after the last change");
    }
    return new Batch(form, changes, catalog, firstPart);
  }

  private static Change decodeChange(ByteBuffer source, Form form) {
    int bits = getByte(source, "change");
    boolean fits =
        switch (form) {
          case CHANGES, PART -> bits >= 0 && bits <= (HAS_REDO | HAS_UNDO);
          case IN_PARTS -> false;
          case CLEAR -> bits == HAS_REDO;
          case UNDO_PART -> bits == HAS_UNDO;
        };
    if (!fits) {
      throw new IllegalArgumentException("bits " + bits + " in a change of form " + form);
    }
    byte[] key = getBytes(source, "key");
    byte[] redo = (bits & HAS_REDO) == 0 ? null : getBytes(source, "redo");
    byte[] undo = (bits & HAS_UNDO) == 0 ? null : getBytes(source, "undo");
    return new Change(key, redo, undo);
  }

  private static long sizeOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : (long) varintBytes(bytes.length) + bytes.length;
  }

  private static int varintBytes(int value) {
    return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7);
  }

  private static void putVarint(ByteBuffer target, int value) {
    int rest = value;
    while (rest >= 0x80) {
      target.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    target.put((byte) rest);
  }

  private static void putBytes(ByteBuffer target, byte @Nullable [] bytes) {
    if (bytes != null) {
      putVarint(target, bytes.length);
      target.put(bytes);
    }
  }

  private static int getByte(ByteBuffer source, String what) {
    if (!source.hasRemaining()) {
      throw new IllegalArgumentException("ends before the " + what);
    }
    return source.get() & 0xFF;
  }

  private static long getPosition(ByteBuffer source) {
    if (source.remaining() < Long.BYTES) {
      throw new IllegalArgumentException("ends before the position of the first part");
    }
    return source.getLong();
  }

  private static int getVarint(ByteBuffer source, String what) {
    long value = 0;
    for (int index = 0; index < VARINT_BYTES_MAX; index++) {
      int next = getByte(source, what);
      value |= (long) (next & 0x7F) << (7 * index);
      if (next < 0x80) {
        if (value > Integer.MAX_VALUE) {
          break;
        }
        return (int) value;
      }
    }
    throw new IllegalArgumentException(
        what + " is larger than 2^31-1 before byte " + source.position());
  }

  private static byte[] getBytes(ByteBuffer source, String what) {
    int length = getVarint(source, "length of the " + what);
    if (length > source.remaining()) {
      throw new IllegalArgumentException(
          what + " of " + length + " bytes, " + source.remaining() + " are left");
    }
    byte[] bytes = new byte[length];
    source.get(bytes);
    return bytes;
  }
}
