package dev.holdfast.jackson;

import dev.holdfast.codec.Codec;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;

/**
 * Stores values of classes that Jackson reads and writes, as a text of JSON.
 *
 * <pre>{@code
 * NamespaceOptions.DEFAULT.withCodec(
 *     JacksonCodec.of(JsonMapper.builder().build(), Customer.class, Shape.class));
 * }</pre>
 *
 * <p>The mapper's settings and the annotations of the classes decide what is written and how older
 * values are read. A stored property that a class does not know is refused whatever the mapper
 * says, because it would be lost when the value is written again; {@code @JsonIgnoreProperties} of
 * the class names those that may be.
 *
 * <p>Immutable, thread-safe.
 */
public final class JacksonCodec implements Codec<Object> {

  private final ObjectMapper mapper;
  private final List<Class<?>> types;

  private JacksonCodec(ObjectMapper mapper, List<Class<?>> types) {
    this.mapper = Objects.requireNonNull(mapper, "mapper");
    this.types = types;
  }

  /**
   * Returns a codec for some classes.
   *
   * @param mapper reads and writes them
   * @param types the classes; subclasses and implementations of them are stored, too. To be read as
   *     the class that is named here, they need annotations that name them in the text
   * @return the codec
   * @throws IllegalArgumentException if no class is given
   */
  public static JacksonCodec of(ObjectMapper mapper, Class<?>... types) {
    if (types.length == 0) {
      throw new IllegalArgumentException(
          "Name the classes that Jackson stores; the others are stored by Holdfast itself.");
    }
    return new JacksonCodec(mapper, List.of(types));
  }

  @Override
  public boolean supports(Class<?> type) {
    return types.stream().anyMatch(each -> each.isAssignableFrom(type));
  }

  @Override
  public Class<?> storedType() {
    return String.class;
  }

  /**
   * Writes a value.
   *
   * @param value the value
   * @return its JSON
   * @throws tools.jackson.core.JacksonException if Jackson cannot write it
   */
  @Override
  public Object encode(Object value) {
    return mapper.writerFor(rootOf(value)).writeValueAsString(value);
  }

  /**
   * The class that was named, if the text says of which subclass a value is: the names are in its
   * annotations, or in the mapper. Else the class of the value: Jackson would write what the named
   * class has, and silently leave out the rest.
   */
  private Class<?> rootOf(Object value) {
    for (Class<?> each : types) {
      if (each.isInstance(value)) {
        return each.getTypeParameters().length == 0 && namesSubclasses(each)
            ? each
            : value.getClass();
      }
    }
    return value.getClass();
  }

  private boolean namesSubclasses(Class<?> type) {
    return mapper._serializationContext().findTypeSerializer(mapper.constructType(type)) != null;
  }

  /**
   * Reads a value.
   *
   * @param stored its JSON
   * @param type the type to read, with its arguments
   * @return the value
   * @throws tools.jackson.core.JacksonException if Jackson cannot read it as this type
   */
  @Override
  public Object decode(Object stored, Type type) {
    return mapper
        .readerFor(mapper.constructType(type))
        .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .readValue((String) stored);
  }
}
