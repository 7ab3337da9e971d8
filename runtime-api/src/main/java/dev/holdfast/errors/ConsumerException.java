package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;

/** A consumer of events cannot receive them, or cannot be changed. Nothing has changed. */
public final class ConsumerException extends HoldfastException {

  /** What is wrong. */
  public enum Reason {
    /**
     * Events that the consumer has not handled are no longer kept: it was behind by more than
     * {@link dev.holdfast.RuntimeOptions#outboxBytesMax} or the recovery window. To continue with
     * what is kept, reset it with {@link dev.holdfast.ObjectAdmin#resetConsumer}; then rebuild what
     * it has made of the events.
     */
    CUT_OFF,
    /** This runtime delivers events to a consumer of this name already. Close that one first. */
    RUNNING,
    /** The data directory knows no consumer of this name. */
    UNKNOWN
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final String topic;
  private final String consumer;

  /**
   * Creates the exception.
   *
   * @param reason what is wrong
   * @param topic the topic of the consumer
   * @param consumer the name of the consumer
   * @param message what is wrong and what to do
   */
  public ConsumerException(Reason reason, String topic, String consumer, String message) {
    super(message, null);
    this.reason = reason;
    this.topic = topic;
    this.consumer = consumer;
  }

  /** {@return what is wrong} */
  public Reason reason() {
    return reason;
  }

  /** {@return the topic of the consumer} */
  public String topic() {
    return topic;
  }

  /** {@return the name of the consumer} */
  public String consumer() {
    return consumer;
  }
}
