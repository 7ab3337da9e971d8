package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.clone.codec.StructuredClone;

/** Knows how the values of namespaces are stored, and so the events of their objects. */
@FunctionalInterface
public interface EventValues {

  /**
   * {@return what reads the events of a namespace} For one that is not registered, whose objects
   * may have emitted before, this reads what needs no codec.
   *
   * @param namespace the name of the namespace
   */
  StructuredClone of(String namespace);
}
