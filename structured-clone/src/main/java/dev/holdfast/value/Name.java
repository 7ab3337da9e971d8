package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name of a constructor's parameter, for classes that are compiled without {@code -parameters}.
 * It is the name of the field that the parameter sets.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Name {

  /**
   * Returns the name of the field.
   *
   * @return the name
   */
  String value();
}
