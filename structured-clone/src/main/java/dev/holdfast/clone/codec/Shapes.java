package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.codec.component.Construction;
import dev.holdfast.clone.codec.component.InlineClass;
import dev.holdfast.clone.internal.IdentityTable;
import dev.holdfast.clone.internal.Paths;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines the shape of a class: the Java side of the mapping table, in code. */
final class Shapes {

  /** Never changed, and known not to call application code. */
  private static final Map<Class<?>, ClassShape> LEAVES =
      Map.ofEntries(
          leaf(String.class, (out, value) -> out.out().string((String) value)),
          leaf(Boolean.class, Encoder::write),
          leaf(Long.class, Encoder::write),
          leaf(Integer.class, Encoder::write),
          leaf(Double.class, Encoder::write),
          leaf(Short.class, (out, value) -> out.writeLong((Short) value)),
          leaf(Byte.class, (out, value) -> out.writeLong((Byte) value)),
          leaf(Float.class, (out, value) -> out.out().taggedDouble(WireTag.DOUBLE, (Float) value)),
          leaf(Character.class, (out, value) -> out.out().string(value.toString())),
          leaf(BigInteger.class, (out, value) -> out.writeBigInt((BigInteger) value)),
          Map.entry(Instant.class, new InstantShape()));

  private static Map.Entry<Class<?>, ClassShape> leaf(
      Class<?> type, ClassShape.Immutable.Writer writer) {
    return Map.entry(type, new ClassShape.Immutable(writer));
  }

  static ClassShape create(Class<?> type) {
    ClassShape leaf = LEAVES.get(type);
    if (leaf != null) {
      return leaf;
    }
    if (TextForms.has(type)) {
      return new ClassShape.Immutable((out, value) -> out.out().string(TextForms.text(value)));
    }
    if (Enum.class.isAssignableFrom(type) && type != JsUndefined.class) {
      return new ClassShape.Immutable((out, value) -> out.out().string(((Enum<?>) value).name()));
    }
    if (JsValue.class.isAssignableFrom(type)) {
      return JsShapes.create(type);
    }
    return type.isArray() ? ArrayShapes.create(type) : createCollection(type);
  }

  private static ClassShape createCollection(Class<?> type) {
    if (Set.class.isAssignableFrom(type)) {
      return new CollectionShapes.SetShape();
    }
    if (Collection.class.isAssignableFrom(type)) {
      return new CollectionShapes.ListShape();
    }
    if (Map.class.isAssignableFrom(type)) {
      return new CollectionShapes.MapShape();
    }
    if (type == Date.class) {
      return new DateShape();
    }
    if (type == Optional.class) {
      return new OptionalShape();
    }
    InlineClass inline = InlineClass.of(type);
    if (inline != null) {
      return new InlineShape(inline);
    }
    Construction construction = Construction.of(type);
    return construction.isPossible()
        ? new RecordClassShape(type)
        : new ClassShape.Unsupported(type, construction.refusal());
  }

  /** Returns whether the mapping decides how values of a class are stored, not the application. */
  static boolean isOfTheMapping(Class<?> type) {
    return type.isPrimitive()
        || type.isArray()
        || type.isEnum()
        || Enum.class.isAssignableFrom(type)
        || type == Object.class
        || type == Optional.class
        || type == Number.class
        || type == CharSequence.class
        || LEAVES.containsKey(type)
        || TextForms.has(type)
        || Date.class.isAssignableFrom(type)
        || JsValue.class.isAssignableFrom(type)
        || type == Iterable.class
        || Collection.class.isAssignableFrom(type)
        || Map.class.isAssignableFrom(type);
  }

  /** Returns whether a declared type can only hold values that are their own copies. */
  static boolean isImmutableType(Class<?> declared, List<Class<?>> enclosing) {
    if (declared.isPrimitive()
        || (LEAVES.containsKey(declared) && declared != Instant.class)
        || TextForms.has(declared)
        || declared.isEnum()) {
      return true;
    }
    InlineClass inline = InlineClass.of(declared);
    if (inline != null) {
      return isImmutableType(inline.contentClass(), enclosing);
    }
    return Construction.of(declared).isPossible()
        && (enclosing.contains(declared)
            || RecordClassShape.isDeeplyImmutable(declared, enclosing));
  }

  /** A record or a class with a construction: an object with its components as properties. */
  static final class RecordClassShape extends ClassShape {

    private final Class<?> type;
    private final boolean immutable;

    /**
     * Computed when first needed, since it may be refused: an immutable record can be copied
     * without it. A race computes it twice, which is harmless.
     */
    private @Nullable Components components;

    RecordClassShape(Class<?> type) {
      this.type = type;
      this.immutable = isDeeplyImmutable(type, List.of());
    }

    /**
     * Returns whether all components are immutable, and a class has no other field. A record nested
     * in itself counts as immutable: the other components decide.
     */
    static boolean isDeeplyImmutable(Class<?> type, List<Class<?>> enclosing) {
      List<Class<?>> around = new ArrayList<>(enclosing);
      around.add(type);
      List<Class<?>> types = Construction.of(type).fixedTypes();
      return types != null && types.stream().allMatch(each -> isImmutableType(each, around));
    }

    @Override
    void encode(Encoder out, Object value) {
      Components shape = components();
      if (shape.holdsUnknown()) {
        out.enter();
        out.write(shape.values(value)[0]);
        out.leave();
        return;
      }
      if (out.writeReference(value)) {
        return;
      }
      boolean checks = out.checksRecords();
      if (checks) {
        out.readers().requireReadable(type);
        out.setChecksRecords(false);
      }
      out.enter();
      out.out().tag(WireTag.OBJECT);
      boolean isTagged = !shape.tags().isEmpty();
      if (isTagged) {
        out.out().bytes(Components.TAG_NAME, 0, Components.TAG_NAME.length);
        out.out().string(shape.tags().getFirst());
      }
      @Nullable Object[] values = shape.values(value);
      for (int i = 0; i < values.length; i++) {
        out.out().name(shape.name(i), shape.encodedNames()[i]);
        try {
          out.write(values[i]);
        } catch (CloneException e) {
          throw e.within(Paths.property(shape.name(i)));
        }
      }
      out.out().tag(WireTag.OBJECT_END);
      out.out().varint(values.length + (isTagged ? 1 : 0));
      out.leave();
      out.setChecksRecords(checks);
    }

    @Override
    Object copy(Copier copier, Object value) {
      Object known = immutable ? value : copier.known(value);
      if (known != null) {
        return known;
      }
      Components shape = components();
      copier.enter();
      @Nullable Object[] values = shape.values(value);
      boolean changed = false;
      for (int i = 0; i < values.length; i++) {
        try {
          Object copy = copier.copy(values[i]);
          changed |= !IdentityTable.same(copy, values[i]);
          values[i] = copy;
        } catch (CloneException e) {
          throw e.within(Paths.property(shape.name(i)));
        }
      }
      copier.leave();
      return changed ? copier.finish(value, shape.create(values)) : copier.unchanged(value);
    }

    private Components components() {
      Components shape = components;
      if (shape == null) {
        shape = Components.of(type);
        components = shape;
      }
      return shape;
    }

    @Override
    boolean isImmutable() {
      return immutable;
    }
  }

  /** A time: truncated to the millisecond towards the past, in a copy as in the stored form. */
  private static final class InstantShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      out.writeInstant((Instant) value);
    }

    @Override
    Object copy(Copier copier, Object value) {
      Encoder.requireDate(Encoder.millis((Instant) value), value);
      Instant cut = ((Instant) value).truncatedTo(ChronoUnit.MILLIS);
      return cut.equals(value) ? value : cut;
    }
  }

  /** The old mutable date. */
  @SuppressWarnings("JavaUtilDate")
  private static final class DateShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      if (!out.writeReference(value)) {
        out.writeTime((double) ((Date) value).getTime(), value);
      }
    }

    @Override
    Object copy(Copier copier, Object value) {
      Encoder.requireDate((double) ((Date) value).getTime(), value);
      return copier.copyOnce(value, date -> ((Date) date).clone());
    }
  }

  /** A value class of Kotlin, written as its property. */
  private static final class InlineShape extends ClassShape {

    private final InlineClass inline;
    private final boolean immutable;

    InlineShape(InlineClass inline) {
      this.inline = inline;
      this.immutable = isImmutableType(inline.contentClass(), List.of());
    }

    @Override
    void encode(Encoder out, Object value) {
      out.enter();
      out.write(inline.unbox(value));
      out.leave();
    }

    @Override
    Object copy(Copier copier, Object value) {
      if (immutable) {
        return value;
      }
      Object content = inline.unbox(value);
      Object copy = copier.copy(content);
      return IdentityTable.same(copy, content) ? value : inline.box(copy);
    }

    @Override
    boolean isImmutable() {
      return immutable;
    }
  }

  /** Written as its content, or null: JavaScript has no closer type. */
  private static final class OptionalShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      Object content = ((Optional<?>) value).orElse(null);
      if (content instanceof Optional<?>) {
        throw OptionalReader.nested();
      }
      out.writeContent(content);
    }

    @Override
    Object copy(Copier copier, Object value) {
      Optional<?> optional = (Optional<?>) value;
      Object content = optional.orElse(null);
      Object copy = copier.copy(content);
      return IdentityTable.same(copy, content) ? value : Optional.ofNullable(copy);
    }
  }

  private Shapes() {}
}
