package dev.holdfast.codec;

import java.lang.reflect.Type;
import java.util.Objects;
import java.util.function.Function;

/** The codec of one class. Immutable. */
final class ClassCodec<T, S> implements Codec<T> {

  private final Class<T> type;
  private final Class<S> storedType;
  private final Function<? super T, ? extends S> encoder;
  private final Function<? super S, ? extends T> decoder;

  ClassCodec(
      Class<T> type,
      Class<S> storedType,
      Function<? super T, ? extends S> encoder,
      Function<? super S, ? extends T> decoder) {
    this.type = Objects.requireNonNull(type, "type");
    this.storedType = Objects.requireNonNull(storedType, "storedType");
    this.encoder = Objects.requireNonNull(encoder, "encoder");
    this.decoder = Objects.requireNonNull(decoder, "decoder");
  }

  @Override
  public boolean supports(Class<?> asked) {
    return asked == type;
  }

  @Override
  public Class<?> storedType() {
    return storedType;
  }

  @Override
  public Object encode(T value) {
    return encoder.apply(value);
  }

  @Override
  public T decode(Object stored, Type asked) {
    return decoder.apply(storedType.cast(stored));
  }

  @Override
  public String toString() {
    return "codec of " + type.getTypeName();
  }
}
