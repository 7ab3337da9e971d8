package dev.holdfast.runtime.internal.report;

import dev.holdfast.ObjectException;
import dev.holdfast.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Puts what a cause says into the message of an error: not every log shows causes. Stateless. */
public final class FailureReason {

  private FailureReason() {}

  /**
   * {@return a message with the reason}
   *
   * @param message what happened, without a full stop
   * @param failure the cause; one for which there may be no memory adds nothing
   * @param object the object whose error has the message
   */
  public static String after(String message, Throwable failure, ObjectKey object) {
    return failure instanceof VirtualMachineError
        ? message
        : message + ": " + reason(failure, object);
  }

  /** The name of the object follows anyway. */
  private static String reason(Throwable failure, ObjectKey object) {
    if (failure instanceof ObjectException own && own.objectId().equals(object.id().toString())) {
      return own.withoutObject();
    }
    String message = messageOf(failure);
    String name = failure.getClass().getName();
    return message == null || message.isEmpty() ? name : name + ": " + message;
  }

  /** The message of an exception may be code of the application; what that throws is no reason. */
  private static @Nullable String messageOf(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (RuntimeException | Error e) {
      return null;
    }
  }
}
