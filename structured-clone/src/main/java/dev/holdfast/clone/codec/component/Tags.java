package dev.holdfast.clone.codec.component;

import dev.holdfast.value.Alias;
import dev.holdfast.value.Tag;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names by which stored values of sealed types say which class they are of. */
public final class Tags {

  /** The property that has the name. No component of a record has a name with this character. */
  public static final String PROPERTY = "@type";

  /**
   * Returns the name of a class within the sealed types that it is of.
   *
   * @param type a class
   * @return the name; null if the class is of no sealed type
   */
  public static @Nullable String of(Class<?> type) {
    if (!isOfSealedType(type)) {
      return null;
    }
    Tag tag = type.getAnnotation(Tag.class);
    return tag == null ? type.getSimpleName() : tag.value();
  }

  /**
   * Returns all names under which values of a class of a sealed type may be stored.
   *
   * @param type a class
   * @return its name, then its earlier ones; empty if the class is of no sealed type
   */
  public static List<String> allOf(Class<?> type) {
    List<String> names = new ArrayList<>();
    String name = of(type);
    if (name != null) {
      names.add(name);
      Alias alias = type.getAnnotation(Alias.class);
      names.addAll(alias == null ? List.of() : List.of(alias.value()));
    }
    return names;
  }

  private static boolean isOfSealedType(@Nullable Class<?> type) {
    if (type == null) {
      return false;
    }
    if (type.isSealed() || isOfSealedType(type.getSuperclass())) {
      return true;
    }
    for (Class<?> each : type.getInterfaces()) {
      if (isOfSealedType(each)) {
        return true;
      }
    }
    return false;
  }

  private Tags() {}
}
