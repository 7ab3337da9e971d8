package dev.holdfast.spring.test;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Keeps components of the application out of a {@link DurableObjectTest}. */
final class ObjectsOnlyFilter extends TypeExcludeFilter {

  /** For Spring. */
  ObjectsOnlyFilter() {}

  @Override
  public boolean match(MetadataReader metadataReader, MetadataReaderFactory factory) {
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectsOnlyFilter;
  }

  @Override
  public int hashCode() {
    return ObjectsOnlyFilter.class.hashCode();
  }
}
