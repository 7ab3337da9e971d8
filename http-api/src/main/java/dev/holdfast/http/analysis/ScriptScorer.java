package dev.holdfast.http.analysis;

/** Scores scripts by their content. Thread-safe. */
@FunctionalInterface
public interface ScriptScorer {

  /**
   * Scores a script.
   *
   * @param content its bytes
   * @return the scores
   */
  ScriptScores score(byte[] content);
}
