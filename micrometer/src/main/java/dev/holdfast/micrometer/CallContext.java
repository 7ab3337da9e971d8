package dev.holdfast.micrometer;

import dev.holdfast.filter.Headers;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of an observation of {@link ObservedCalls}: what a handler of observations needs to
 * connect it with others. Used by one thread at a time.
 */
public final class CallContext extends Observation.Context {

  /** What is observed. */
  public enum Kind {

    /** A call, from the caller's request to the reply that has left the output gate. */
    CALL("holdfast.call", ""),

    /** The moment at which a thread starts an asynchronous call, which another thread makes. */
    SEND("holdfast.send", ""),

    /** The wait of a reply at the output gate; a part of a call. */
    OUTPUT_GATE("holdfast.output.gate", " output gate"),

    /** The code of an object that runs for a call. */
    EXECUTION("holdfast.execution", ""),

    /** The handler of an alarm. */
    ALARM("holdfast.alarm", "");

    private final String observation;
    private final String suffix;

    Kind(String observation, String suffix) {
      this.observation = observation;
      this.suffix = suffix;
    }

    /** {@return the name of the observation, and of the timer that a handler may make of it} */
    public String observation() {
      return observation;
    }
  }

  /** The object that is called, and its method; for an alarm {@code alarm}. */
  record Target(String namespace, String id, String operation) {}

  private final Kind kind;
  private final @Nullable Target target;
  private final Headers received;
  private Headers passedOn;

  /**
   * Creates a context.
   *
   * @param kind what is observed
   * @param target the object; null where it is not known
   * @param received the headers with which a call or an alarm has come
   */
  CallContext(Kind kind, @Nullable Target target, Headers received) {
    this.kind = kind;
    this.target = target;
    this.received = received;
    passedOn = received;
  }

  CallContext ofOutputGate() {
    return new CallContext(Kind.OUTPUT_GATE, target, received);
  }

  /** An id is for traces alone: each would be a separate time series as a tag of a meter. */
  void describe(Observation observation) {
    if (target != null) {
      observation
          .contextualName(target.namespace + "/" + target.operation + kind.suffix)
          .lowCardinalityKeyValue("namespace", target.namespace)
          .lowCardinalityKeyValue("operation", target.operation)
          .highCardinalityKeyValue("object", target.id);
    }
  }

  /** {@return what is observed} */
  public Kind kind() {
    return kind;
  }

  /** {@return the headers with which the call or the alarm has come} */
  public Headers received() {
    return received;
  }

  /** {@return the headers with which it proceeds; by default those that were received} */
  public Headers passedOn() {
    return passedOn;
  }

  /**
   * Sets the headers with which the call proceeds: for a handler, when the observation starts.
   *
   * @param headers instead of {@link #passedOn()}
   */
  public void passOn(Headers headers) {
    passedOn = headers;
  }
}
