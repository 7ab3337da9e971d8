package dev.holdfast.http.analysis;

/** Judges scripts by their content. Thread-safe. */
@FunctionalInterface
public interface ScriptScorer {

  /**
   * Judges a script.
   *
   * @param content its bytes
   * @return the scores
   */
  ScriptScores score(byte[] content);
}
