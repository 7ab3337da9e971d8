package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.clone.codec.ValueConverter;
import dev.holdfast.codec.Codec;
import java.lang.reflect.Type;
import java.util.List;

/** How the values of a namespace are stored and copied: with the codecs of the application. */
public final class NamespaceValues {

  private NamespaceValues() {}

  /**
   * {@return what stores and copies values}
   *
   * @param codecs of the namespace
   */
  public static StructuredClone with(List<Codec<?>> codecs) {
    return codecs.isEmpty()
        ? StructuredClone.standard()
        : StructuredClone.standard()
            .withConverters(codecs.stream().<ValueConverter>map(CodecConverter::new).toList());
  }

  /** A codec as what the format asks for. */
  private record CodecConverter<T>(Codec<T> codec) implements ValueConverter {

    @Override
    public boolean converts(Class<?> type) {
      return codec.supports(type);
    }

    @Override
    public Class<?> storedType() {
      return codec.storedType();
    }

    @Override
    @SuppressWarnings("unchecked") // it supports the class
    public Object toStored(Object value) {
      return codec.encode((T) value);
    }

    @Override
    @SuppressWarnings("NullAway") // a codec that returns null is refused
    public Object fromStored(Object stored, Type type) {
      return codec.decode(stored, type);
    }
  }
}
