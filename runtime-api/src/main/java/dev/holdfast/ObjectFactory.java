package dev.holdfast;

/**
 * Creates a fresh instance of an object when it is activated; usually a constructor reference.
 *
 * @param <T> the interface of the object's calls
 */
@FunctionalInterface
public interface ObjectFactory<T> {

  /**
   * Creates the instance, as the object's first turn. The object receives no event before this
   * method returns, nor before a critical section ends that it has started with {@link
   * ObjectContext#blockConcurrencyWhile}.
   *
   * @param context the object's own context; valid until the instance is reset or evicted
   * @return the new instance
   * @throws Exception if the object cannot start: every call that waits for this activation fails
   *     with {@link InstanceResetException}, and the next call tries again
   */
  T create(ObjectContext context) throws Exception;
}
