package dev.holdfast.clone.codec.bytes;

/** The numbers after the tag of a host object: kinds of object that the reference runtime adds. */
public final class HostTag {

  public static final int DOM_EXCEPTION = 8;
  public static final int NATIVE_ERROR = 10;

  private HostTag() {}
}
