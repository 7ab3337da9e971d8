package dev.holdfast.runtime.internal.report;

import dev.holdfast.ObjectException;
import dev.holdfast.spi.ObjectKey;

/** Puts the message of a cause into the message of an error. Stateless. */
public final class FailureReason {

  private FailureReason() {}

  /**
   * {@return what a failure says, without the object's name if that follows anyway}
   *
   * @param failure the cause
   * @param object the object whose error contains the reason
   */
  public static String of(Throwable failure, ObjectKey object) {
    if (failure instanceof ObjectException own && own.objectId().equals(object.id().toString())) {
      String suffix = " [object " + object.namespace() + "/" + object.id() + "]";
      return String.valueOf(own.getMessage()).replace(suffix, "");
    }
    String message = failure.getMessage();
    String name = failure.getClass().getName();
    return message == null || message.isEmpty() ? name : name + ": " + message;
  }
}
