package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name by which a stored value of a sealed type says which class it is of. Without it, that is
 * the simple name of the class; a class that is renamed keeps its old name by this annotation, or
 * is read by it with {@link Alias}.
 *
 * <pre>{@code
 * sealed interface Payment {
 *   record Cash(long cents) implements Payment {}
 *   @Tag("transfer") record BankTransfer(String account, long cents) implements Payment {}
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Tag {

  /**
   * Returns the name.
   *
   * @return the name, unique among the classes of the sealed type
   */
  String value();
}
