package dev.holdfast;

import java.io.Serial;

/**
 * Objects have called each other too deeply: each call waits for the next, and the last one was not
 * delivered. Mostly a circle of calls that never ends. A long chain that is meant is cut by {@link
 * ObjectStub#async}, of which the caller does not wait for the reply.
 */
public final class CallDepthException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the namespace of the object that was to be called
   * @param id the object's id
   * @param depthMax how many calls may wait for each other
   */
  public CallDepthException(String namespace, ObjectId id, int depthMax) {
    super(
        namespace,
        id,
        "Calls between objects are nested too deeply; at most "
            + depthMax
            + " may wait for each other. Look for objects that call each other in a circle.",
        null);
  }
}
