package dev.holdfast.runtime.internal.storage;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.clone.codec.ValueConverter;
import dev.holdfast.codec.Codec;
import java.lang.reflect.Proxy;
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

  /**
   * {@return what is wrong with a value; of a stub, not that it should be a record}
   *
   * @param refusal of the format
   */
  public static String explain(StructuredCloneException refusal) {
    Class<?> type = refusal instanceof CloneException clone ? clone.offendingClass() : null;
    boolean isAddress =
        type != null
            && (Proxy.isProxyClass(type)
                || type == ObjectId.class
                || ObjectStub.class.isAssignableFrom(type)
                || ObjectNamespace.class.isAssignableFrom(type));
    return isAddress
        ? (refusal instanceof CloneException clone ? clone.path() : "$")
            + (type == ObjectId.class ? " is an id" : " is a stub or a namespace")
            + ", which is not a value: keep the text of the id (id.toString()) and make a stub of"
            + " it by namespace.get(namespace.idFromString(text)); an argument or a result of a"
            + " call can be an id, a stub or a namespace itself"
        : String.valueOf(refusal.getMessage());
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
