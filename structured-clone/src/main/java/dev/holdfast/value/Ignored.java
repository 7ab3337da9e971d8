package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names components of stored values that the class does without, such as those that were removed
 * from it. A value with a component that the class neither has nor names here is refused when it is
 * read: it would be lost when the value is written again.
 *
 * <pre>{@code @Ignored("remark") record Line(String item, int count) {}}</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Ignored {

  /**
   * Returns the names.
   *
   * @return the names; none to pass over every component that the class lacks
   */
  String[] value() default {};
}
