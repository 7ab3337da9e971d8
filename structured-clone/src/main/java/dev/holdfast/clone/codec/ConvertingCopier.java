package dev.holdfast.clone.codec;

import org.jspecify.annotations.Nullable;

/**
 * A copier with converters: the copy of a converted value is what is read from its stored form. A
 * class of its own, because the other one is on the stack once for each level of a value.
 */
final class ConvertingCopier extends Copier {

  private final StructuredClone clone;

  ConvertingCopier(StructuredClone clone) {
    this.clone = clone;
  }

  @Override
  @Nullable Object copy(@Nullable Object value) {
    if (value == null || value instanceof String || value instanceof Long) {
      return value;
    }
    ClassShape shape = ClassShape.of(value.getClass());
    return shape.isImmutable() || clone.converterOf(value.getClass()) == null
        ? shape.copy(this, value)
        : copyOnce(value, clone::storedAndRead);
  }
}
