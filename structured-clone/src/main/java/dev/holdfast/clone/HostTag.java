package dev.holdfast.clone;

/** The numbers after the tag of a host object: kinds of object that the reference runtime adds. */
final class HostTag {

  static final int DOM_EXCEPTION = 8;
  static final int NATIVE_ERROR = 10;

  private HostTag() {}
}
