package dev.holdfast.spi.inspect;

/** A runtime whose objects can be read without running code of the application. */
@FunctionalInterface
public interface Inspectable {

  /**
   * {@return this runtime, as operators see it}
   *
   * @throws IllegalStateException if it was built without the parts that operators need
   */
  InspectedRuntime inspected();
}
