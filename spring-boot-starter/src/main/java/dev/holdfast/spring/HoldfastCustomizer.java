package dev.holdfast.spring;

import dev.holdfast.ObjectRegistrar;

/**
 * A bean that registers more than {@link DurableObject} classes do: further namespaces, filters of
 * one namespace, other options of the runtime. Called in the order of the beans, after everything
 * else is registered and before the runtime opens.
 */
@FunctionalInterface
public interface HoldfastCustomizer {

  /**
   * Registers.
   *
   * @param objects valid during the call
   */
  void customize(ObjectRegistrar objects);
}
