package dev.holdfast.conformance.script;

/** A durable object that executes a recording. */
public interface Script {

  /**
   * Runs operations as one request.
   *
   * @param operations the operations, as JSON
   * @param startMillis the start time of the case, in milliseconds since 1970
   * @return the results, as JSON; the values in them as texts
   */
  String run(String operations, long startMillis);

  /** Aborts the object. */
  void abort();
}
