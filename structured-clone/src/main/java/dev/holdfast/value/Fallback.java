package dev.holdfast.value;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a value is read as that this version of the program does not know: a constant of an enum
 * that has no constant of the name, or a class of a sealed type that has no class of the name. So a
 * list with one entry of another version can be read.
 *
 * <pre>{@code
 * enum Status { OPEN, PAID, @Fallback UNKNOWN }
 *
 * sealed interface Payment {
 *   record Cash(long cents) implements Payment {}
 *   @Fallback record Other(Object stored) implements Payment {}
 * }
 * }</pre>
 *
 * <p>A class has no component, or one of the type {@code Object}, which gets the unknown value: a
 * {@code JsObject}, or the name of a constant. Written again, it is that value, and nothing is
 * lost. A constant, and a class without a component, are written by their own names: the unknown
 * value is lost then.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.TYPE})
public @interface Fallback {}
