package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a component is in stored values that lack it: values from before the component was added.
 * Without it, such a component is null, empty if it is a collection, a map or an {@code Optional},
 * and an error if it is primitive.
 *
 * <pre>{@code record Line(String item, @Default("1") int count) {}}</pre>
 *
 * <p>A component that a value has as null stays null.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
public @interface Default {

  /**
   * Returns the text of the default.
   *
   * @return the text: of a number, {@code true} or {@code false}, a name of an enum constant, or
   *     what the type's text is in a stored value, such as {@code PT5M} of a duration
   */
  String value();
}
