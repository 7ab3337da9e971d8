package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Other names of a component, of a constant of an enum, or of a class of a sealed type ({@link
 * Tag}): earlier ones, or those that the next version of the program will write. A value that has
 * one of them is read; values are written with the present name.
 *
 * <pre>{@code record Line(@Alias("article") String item, int count) {}}</pre>
 *
 * <p>A name belongs to one component or constant only, and a value that has a component under two
 * names is refused when it is read.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER, ElementType.FIELD, ElementType.TYPE})
public @interface Alias {

  /**
   * Returns the other names.
   *
   * @return the names; their order has no meaning
   */
  String[] value();
}
