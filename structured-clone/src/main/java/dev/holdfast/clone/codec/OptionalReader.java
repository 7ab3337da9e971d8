package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.PassedType.PassedClasses;
import dev.holdfast.clone.codec.bytes.WireTag;
import java.util.Optional;
import java.util.Set;

/** Reads the content of an {@code Optional}, or null as an empty one. */
final class OptionalReader extends TypeReader {

  private final TypeReader content;

  OptionalReader(TypeReader content) {
    super(Optional.class);
    if (content instanceof OptionalReader) {
      throw nested();
    }
    this.content = content;
  }

  static CloneException nested() {
    return new CloneException(
        "a java.util.Optional of a java.util.Optional cannot be read back: an empty one in a full"
            + " one is null, as an empty one is",
        Optional.class);
  }

  @Override
  Object read(Decoder in, int tag) {
    in.in().unmark(PassedClasses.OPTIONAL);
    return tag == WireTag.NULL || tag == WireTag.UNDEFINED
        ? Optional.empty()
        : Optional.ofNullable(content.read(in, tag));
  }

  @Override
  Object ofName(String name) {
    return Optional.of(content.ofName(name));
  }

  @Override
  boolean isLeaf() {
    return content.isLeaf();
  }

  @Override
  Object ofAbsent() {
    return Optional.empty();
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
