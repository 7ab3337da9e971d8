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

  /**
   * Scores a script of a site. By default, the site makes no difference.
   *
   * @param content its bytes
   * @param siteDomain the domain of the site; what is sent there, or below it, is not sent away
   * @return the scores
   */
  default ScriptScores score(byte[] content, String siteDomain) {
    return score(content);
  }
}
