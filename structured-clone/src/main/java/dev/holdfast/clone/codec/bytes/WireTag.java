package dev.holdfast.clone.codec.bytes;

/**
 * The bytes that begin and end values. {@code docs/formats/structured-clone.md} states what follows
 * each.
 */
public final class WireTag {

  public static final int VERSION = 0xFF;

  /** The version written. Older readers accept no newer version. */
  public static final int VERSION_WRITTEN = 15;

  public static final int VERSION_MIN = 13;
  public static final int VERSION_MAX = 16;

  /** The first version whose views have flags. */
  public static final int VERSION_VIEW_FLAGS = 14;

  public static final int PADDING = 0;
  public static final int OBJECT_COUNT = '?';

  /**
   * Only in values that are passed between objects: before a value, with the mark of its class. No
   * stored value has it.
   */
  public static final int CLASS = 1;

  public static final int HOLE = '-';
  public static final int UNDEFINED = '_';
  public static final int NULL = '0';
  public static final int TRUE = 'T';
  public static final int FALSE = 'F';
  public static final int INT32 = 'I';
  public static final int UINT32 = 'U';
  public static final int DOUBLE = 'N';
  public static final int BIG_INT = 'Z';
  public static final int UTF8_STRING = 'S';
  public static final int ONE_BYTE_STRING = '"';
  public static final int TWO_BYTE_STRING = 'c';

  public static final int REFERENCE = '^';
  public static final int OBJECT = 'o';
  public static final int OBJECT_END = '{';
  public static final int SPARSE_ARRAY = 'a';
  public static final int SPARSE_ARRAY_END = '@';
  public static final int DENSE_ARRAY = 'A';
  public static final int DENSE_ARRAY_END = '$';
  public static final int DATE = 'D';
  public static final int TRUE_OBJECT = 'y';
  public static final int FALSE_OBJECT = 'x';
  public static final int NUMBER_OBJECT = 'n';
  public static final int BIG_INT_OBJECT = 'z';
  public static final int STRING_OBJECT = 's';
  public static final int REG_EXP = 'R';
  public static final int MAP = ';';
  public static final int MAP_END = ':';
  public static final int SET = '\'';
  public static final int SET_END = ',';
  public static final int ARRAY_BUFFER = 'B';
  public static final int RESIZABLE_ARRAY_BUFFER = '~';

  /**
   * Only read, never written: the content has the same form, and this library could not enforce its
   * immutability.
   */
  public static final int IMMUTABLE_ARRAY_BUFFER = 'C';

  public static final int VIEW = 'V';
  public static final int ERROR = 'r';
  public static final int HOST_OBJECT = '\\';

  /** Returns whether a tag begins a string. */
  public static boolean isString(int tag) {
    return tag == ONE_BYTE_STRING || tag == TWO_BYTE_STRING || tag == UTF8_STRING;
  }

  /**
   * Describes a tag for an error message.
   *
   * @return the kind of value that the tag begins
   */
  public static String name(int tag) {
    return switch (tag) {
      case UNDEFINED -> "undefined";
      case NULL -> "null";
      case TRUE, FALSE -> "a boolean";
      case INT32, UINT32, DOUBLE -> "a number";
      case BIG_INT -> "a BigInt";
      case UTF8_STRING, ONE_BYTE_STRING, TWO_BYTE_STRING -> "a string";
      case REFERENCE -> "a reference";
      case OBJECT -> "an object";
      case SPARSE_ARRAY, DENSE_ARRAY -> "an array";
      case DATE -> "a Date";
      case TRUE_OBJECT, FALSE_OBJECT, NUMBER_OBJECT, BIG_INT_OBJECT, STRING_OBJECT ->
          "a boxed primitive";
      case REG_EXP -> "a RegExp";
      case MAP -> "a Map";
      case SET -> "a Set";
      case ARRAY_BUFFER, RESIZABLE_ARRAY_BUFFER, IMMUTABLE_ARRAY_BUFFER -> "an ArrayBuffer";
      case ERROR -> "an Error";
      case HOST_OBJECT -> "a host object";
      default -> "tag 0x" + Integer.toHexString(tag);
    };
  }

  private WireTag() {}
}
