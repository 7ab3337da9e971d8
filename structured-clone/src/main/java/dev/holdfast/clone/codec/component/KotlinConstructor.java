package dev.holdfast.clone.codec.component;

import java.lang.annotation.Annotation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The primary constructor of a class that Kotlin has compiled, as the class says it of itself in
 * its annotation {@code kotlin.Metadata}: the names of the parameters, also without {@code
 * -java-parameters}, and which of them have a default. No library of Kotlin is needed: the
 * annotation has a protocol buffer, of which five messages are read here.
 *
 * @param names of the parameters
 * @param defaults whether each has a default
 * @param isPrivate whether it is private in Kotlin; one with a parameter of a value class is
 *     private for the JVM only
 */
record KotlinConstructor(List<String> names, List<Boolean> defaults, boolean isPrivate) {

  private static final String METADATA = "kotlin.Metadata";

  /** The kind of metadata that describes a class, and not a file. */
  private static final int KIND_CLASS = 1;

  /** Begins metadata whose characters are bytes. */
  private static final char BYTES = '\0';

  // Numbers of fields of the messages.
  private static final int STRINGS_RECORD = 1;
  private static final int RECORD_RANGE = 1;
  private static final int CLASS_CONSTRUCTOR = 8;
  private static final int CONSTRUCTOR_FLAGS = 1;
  private static final int CONSTRUCTOR_PARAMETER = 2;
  private static final int PARAMETER_FLAGS = 1;
  private static final int PARAMETER_NAME = 2;

  // Bits of flags.
  private static final int FLAGS_ABSENT = 6;
  private static final int VISIBILITY_SHIFT = 1;
  private static final int VISIBILITY_MASK = 7;
  private static final int VISIBILITY_PRIVATE = 1;
  private static final int SECONDARY = 1 << 4;
  private static final int HAS_DEFAULT = 1 << 1;

  /**
   * Returns the primary constructor of a class.
   *
   * @return null if Kotlin has not compiled the class, or it says nothing that is understood
   */
  static @Nullable KotlinConstructor of(Class<?> type) {
    for (Annotation each : type.getDeclaredAnnotations()) {
      if (each.annotationType().getName().equals(METADATA)) {
        try {
          return read(each);
        } catch (ReflectiveOperationException | IndexOutOfBoundsException e) {
          return null; // of a version with another form; the class file may have the names
        }
      }
    }
    return null;
  }

  private static @Nullable KotlinConstructor read(Annotation metadata)
      throws ReflectiveOperationException {
    Class<?> annotation = metadata.annotationType();
    int kind = (Integer) annotation.getMethod("k").invoke(metadata);
    String packed = String.join("", (String[]) annotation.getMethod("d1").invoke(metadata));
    String[] strings = (String[]) annotation.getMethod("d2").invoke(metadata);
    if (kind != KIND_CLASS || packed.isEmpty() || packed.charAt(0) != BYTES) {
      return null;
    }
    Message all = new Message(packed.substring(1).getBytes(StandardCharsets.ISO_8859_1));
    List<Boolean> plain = plainNames(all.message());
    while (all.next()) {
      KotlinConstructor constructor =
          all.field == CLASS_CONSTRUCTOR ? constructor(all.message(), strings, plain) : null;
      if (constructor != null) {
        return constructor;
      }
    }
    return null;
  }

  /** Returns for each string whether it is what the annotation has in its place. */
  private static List<Boolean> plainNames(Message table) {
    List<Boolean> plain = new ArrayList<>();
    while (table.next()) {
      if (table.field != STRINGS_RECORD) {
        continue;
      }
      Message record = table.message();
      int range = 1;
      boolean isPlain = true;
      while (record.next()) {
        range = record.field == RECORD_RANGE ? record.number : range;
        isPlain &= record.field == RECORD_RANGE;
      }
      for (int i = 0; i < range; i++) {
        plain.add(isPlain);
      }
    }
    return plain;
  }

  private static @Nullable KotlinConstructor constructor(
      Message message, String[] strings, List<Boolean> plain) {
    int flags = FLAGS_ABSENT;
    List<String> names = new ArrayList<>();
    List<Boolean> defaults = new ArrayList<>();
    while (message.next()) {
      if (message.field == CONSTRUCTOR_FLAGS) {
        flags = message.number;
      } else if (message.field == CONSTRUCTOR_PARAMETER) {
        Message parameter = message.message();
        int own = 0;
        int name = -1;
        while (parameter.next()) {
          own = parameter.field == PARAMETER_FLAGS ? parameter.number : own;
          name = parameter.field == PARAMETER_NAME ? parameter.number : name;
        }
        if (!plain.get(name)) {
          return null;
        }
        names.add(strings[name]);
        defaults.add((own & HAS_DEFAULT) != 0);
      }
    }
    return (flags & SECONDARY) != 0
        ? null
        : new KotlinConstructor(
            List.copyOf(names),
            List.copyOf(defaults),
            (flags >> VISIBILITY_SHIFT & VISIBILITY_MASK) == VISIBILITY_PRIVATE);
  }

  /** Reads the fields of a message one after the other. */
  private static final class Message {

    private final byte[] bytes;
    private final int end;
    private int at;
    private int field;
    private int number;

    /** Where the content of the field begins that was read last, if it has a length. */
    private int contentBegin;

    Message(byte[] bytes) {
      this(bytes, 0, bytes.length);
    }

    private Message(byte[] bytes, int begin, int end) {
      this.bytes = bytes;
      this.at = begin;
      this.end = end;
    }

    /** Reads a field; returns false at the end. */
    boolean next() {
      if (at >= end) {
        return false;
      }
      int key = varint();
      field = key >>> 3;
      switch (key & 7) {
        case 0 -> number = varint();
        case 1 -> at += Long.BYTES;
        case 2 -> {
          int length = varint();
          contentBegin = at;
          at += length;
        }
        case 5 -> at += Integer.BYTES;
        default -> throw new IndexOutOfBoundsException("kind " + (key & 7));
      }
      return true;
    }

    /** Returns the field that was read last; the message with a length, before the first. */
    Message message() {
      if (field == 0) {
        int length = varint();
        contentBegin = at;
        at += length;
      }
      return new Message(bytes, contentBegin, at);
    }

    private int varint() {
      int value = 0;
      for (int shift = 0; ; shift += 7) {
        byte octet = bytes[at++];
        value |= shift < Integer.SIZE ? (octet & 0x7F) << shift : 0;
        if (octet >= 0) {
          return value;
        }
      }
    }
  }
}
