package dev.holdfast.clone.internal;

import org.jspecify.annotations.Nullable;

/** Segments of the path to a value, as error messages show it. */
public final class Paths {

  private static final int KEY_CHARS_SHOWN = 40;

  public static String property(String name) {
    return isIdentifier(name) ? "." + name : "[" + quoted(name) + "]";
  }

  /** Never calls code of the key's class: that code may be the cause of the failure. */
  public static String entry(@Nullable Object key) {
    return switch (key) {
      case String text -> "[" + quoted(text) + "]";
      case Long number -> "[" + number + "]";
      case Integer number -> "[" + number + "]";
      case Enum<?> constant -> "[" + constant.name() + "]";
      case null -> "[null]";
      default -> "[" + key.getClass().getSimpleName() + "]";
    };
  }

  private static String quoted(String text) {
    return "\"" + shown(text) + "\"";
  }

  /** Returns the beginning of a text that may be long. */
  public static String shown(String text) {
    return text.length() <= KEY_CHARS_SHOWN ? text : text.substring(0, KEY_CHARS_SHOWN) + "...";
  }

  private static boolean isIdentifier(String name) {
    if (name.isEmpty()
        || name.length() > KEY_CHARS_SHOWN
        || !Character.isJavaIdentifierStart(name.charAt(0))) {
      return false;
    }
    return name.chars().allMatch(Character::isJavaIdentifierPart);
  }

  private Paths() {}
}
