package dev.holdfast.clone.codec;

import dev.holdfast.clone.codec.bytes.Tag;
import dev.holdfast.clone.codec.component.InlineClass;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the property of a value class of Kotlin as an instance. */
final class InlineReader extends TypeReader {

  private final InlineClass inline;
  private final TypeReader content;

  InlineReader(Class<?> type, InlineClass inline, TypeReader content) {
    super(type);
    this.inline = inline;
    this.content = content;
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return tag == Tag.NULL || tag == Tag.UNDEFINED ? null : inline.box(content.read(in, tag));
  }

  @Override
  Object ofName(String name) {
    return inline.box(content.ofName(name));
  }

  @Override
  boolean isLeaf() {
    return content.isLeaf();
  }

  @Override
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return content.isReadAsCopied(checked);
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    content.requireReadable(checked);
  }
}
