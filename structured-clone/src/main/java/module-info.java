/** Values in the V8 structured clone wire format. Knows nothing of the rest of Holdfast. */
module dev.holdfast.clone {
  requires static transitive org.jspecify;
}
