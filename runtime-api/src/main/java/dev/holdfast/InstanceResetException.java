package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The instance was reset while the call was in flight. The reason is a failed commit, a failed
 * critical section or constructor, {@link ObjectContext#abort}, a {@link VirtualMachineError} such
 * as a stack overflow, an operator, or the end of the runtime. The next call reaches a fresh
 * instance with the state of the last complete turn.
 *
 * <p>If its {@linkplain #getCause cause} is a {@link dev.holdfast.errors.CommitRefusedException},
 * the same call fails again: do not repeat it, whatever {@link #writeOutcome} says.
 */
public final class InstanceResetException extends ObjectException {

  /** Whether writes of the failed call may be durable. */
  public enum WriteOutcome {
    /**
     * No write of the call is or will be durable, nor one of the blocking calls that it has made.
     * Asynchronous calls go on by themselves, and are not counted, also if it has waited for them.
     */
    NOT_WRITTEN,
    /**
     * Writes that the call made before its last wait, or the writes of a blocking call that it
     * made, may be durable. Check before you repeat it.
     */
    UNKNOWN
  }

  @Serial private static final long serialVersionUID = 1L;

  private final WriteOutcome writeOutcome;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message why the instance was reset
   * @param writeOutcome whether writes of the failed call may be durable
   * @param cause the cause of the reset, or null
   */
  public InstanceResetException(
      String namespace,
      ObjectId id,
      String message,
      WriteOutcome writeOutcome,
      @Nullable Throwable cause) {
    super(namespace, id, message, cause);
    this.writeOutcome = writeOutcome;
  }

  /** {@return whether writes of the failed call may be durable} */
  public WriteOutcome writeOutcome() {
    return writeOutcome;
  }
}
