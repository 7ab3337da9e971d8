package dev.holdfast.conformance.value;

/**
 * A {@code SharedArrayBuffer}. The reference stores one and can never read it again; Java has no
 * such type. (Not a record, because records can be cloned.)
 */
public final class SharedBuffer {

  private final byte[] bytes;

  SharedBuffer(byte[] bytes) {
    this.bytes = bytes;
  }

  /** {@return the content, not copied} */
  public byte[] bytes() {
    return bytes;
  }
}
