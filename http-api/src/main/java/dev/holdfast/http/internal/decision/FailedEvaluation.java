package dev.holdfast.http.internal.decision;

/** Receives what could not be evaluated; it does not match. */
@FunctionalInterface
public interface FailedEvaluation {

  /**
   * Receives a failure.
   *
   * @param owner names what failed, such as a filter with its id
   * @param failure the failure
   */
  void accept(String owner, RuntimeException failure);
}
