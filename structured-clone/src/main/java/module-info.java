/**
 * Values in the V8 structured clone wire format, and copies of Java values by the same rules. Knows
 * nothing of the rest of Holdfast.
 */
module dev.holdfast.clone {
  requires static transitive org.jspecify;

  exports dev.holdfast.clone;
  exports dev.holdfast.clone.codec;
  exports dev.holdfast.value;
}
