package dev.holdfast.clone;

/**
 * The bytes that begin and end values. {@code docs/formats/structured-clone.md} states what follows
 * each.
 */
final class Tag {

  static final int VERSION = 0xFF;

  /** The version written. Older readers accept no newer version. */
  static final int VERSION_WRITTEN = 15;

  static final int VERSION_MIN = 13;
  static final int VERSION_MAX = 16;

  /** The first version whose views have flags. */
  static final int VERSION_VIEW_FLAGS = 14;

  static final int PADDING = 0;
  static final int OBJECT_COUNT = '?';

  static final int HOLE = '-';
  static final int UNDEFINED = '_';
  static final int NULL = '0';
  static final int TRUE = 'T';
  static final int FALSE = 'F';
  static final int INT32 = 'I';
  static final int UINT32 = 'U';
  static final int DOUBLE = 'N';
  static final int BIG_INT = 'Z';
  static final int UTF8_STRING = 'S';
  static final int ONE_BYTE_STRING = '"';
  static final int TWO_BYTE_STRING = 'c';

  static final int REFERENCE = '^';
  static final int OBJECT = 'o';
  static final int OBJECT_END = '{';
  static final int SPARSE_ARRAY = 'a';
  static final int SPARSE_ARRAY_END = '@';
  static final int DENSE_ARRAY = 'A';
  static final int DENSE_ARRAY_END = '$';
  static final int DATE = 'D';
  static final int TRUE_OBJECT = 'y';
  static final int FALSE_OBJECT = 'x';
  static final int NUMBER_OBJECT = 'n';
  static final int BIG_INT_OBJECT = 'z';
  static final int STRING_OBJECT = 's';
  static final int REG_EXP = 'R';
  static final int MAP = ';';
  static final int MAP_END = ':';
  static final int SET = '\'';
  static final int SET_END = ',';
  static final int ARRAY_BUFFER = 'B';
  static final int RESIZABLE_ARRAY_BUFFER = '~';

  /**
   * Only read, never written: the content has the same form, and this library could not enforce its
   * immutability.
   */
  static final int IMMUTABLE_ARRAY_BUFFER = 'C';

  static final int VIEW = 'V';
  static final int ERROR = 'r';
  static final int HOST_OBJECT = '\\';

  /**
   * Describes a tag for an error message.
   *
   * @return the kind of value that the tag begins
   */
  static String name(int tag) {
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

  private Tag() {}
}
