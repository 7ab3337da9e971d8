package dev.holdfast.clone.codec.component;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * One component of a record, or one field of a class that its constructor sets.
 *
 * @param name its name
 * @param raw its class
 * @param type its type, with its arguments
 * @param annotations where its annotations are
 * @param method the accessor of a record's component; null for a field
 * @param field the field of a class; null for a record's component
 */
record Member(
    String name,
    Class<?> raw,
    Type type,
    AnnotatedElement annotations,
    @Nullable Method method,
    @Nullable Field field) {}
