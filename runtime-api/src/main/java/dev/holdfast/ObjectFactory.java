package dev.holdfast;

/**
 * Makes a fresh instance of an object when it is activated; usually a constructor reference.
 *
 * @param <T> the interface through which the object is called
 */
@FunctionalInterface
public interface ObjectFactory<T> {

  /**
   * Creates the instance. Runs as the object's first turn: nothing is delivered to the object
   * before it has returned, nor before a critical section it has started with {@link
   * ObjectContext#blockConcurrencyWhile} is over.
   *
   * @param context the object's own context; valid until the instance is reset or evicted
   * @return the new instance
   * @throws Exception if the object cannot start: every call waiting for this activation fails with
   *     {@link InstanceResetException}, and the next call tries again
   */
  T create(ObjectContext context) throws Exception;
}
