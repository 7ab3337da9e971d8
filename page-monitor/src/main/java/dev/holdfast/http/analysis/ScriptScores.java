package dev.holdfast.http.analysis;

/**
 * The scores of a script, each from 1, certainly malicious, to 99, certainly not. Immutable.
 *
 * @param jsIntegrity the verdict; below {@link #MALICIOUS_BELOW} the script is malicious
 * @param obfuscation how readable it is
 * @param dataflow whether it sends the data that it reads elsewhere
 * @param malware whether it looks like malware
 * @param cryptomining whether it looks like a miner
 * @param magecart whether it seems to steal the input of forms
 */
public record ScriptScores(
    int jsIntegrity, int obfuscation, int dataflow, int malware, int cryptomining, int magecart) {

  /** A script with a lower {@link #jsIntegrity} is malicious. */
  public static final int MALICIOUS_BELOW = 10;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a score is not from 1 to 99
   */
  public ScriptScores {
    for (int score :
        new int[] {jsIntegrity, obfuscation, dataflow, malware, cryptomining, magecart}) {
      if (score < 1 || score > 99) {
        throw new IllegalArgumentException("a score is from 1 to 99: " + score);
      }
    }
  }

  /** {@return whether the script is malicious} */
  public boolean isMalicious() {
    return jsIntegrity < MALICIOUS_BELOW;
  }
}
