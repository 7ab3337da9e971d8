package dev.holdfast.http.analysis;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A simple scorer. It undoes the usual disguises of a script, and looks for input of forms or keys
 * that goes to a foreign host, for miners, and for obfuscation, which alone is not malicious. It
 * detects the common forms and is easy to evade, so an application that needs more supplies its own
 * {@link ScriptScorer}. Nothing of the script is executed. Stateless.
 */
public final class HeuristicScorer implements ScriptScorer {

  private static final Pattern DYNAMIC =
      Pattern.compile(
          "eval\\(|new function\\(|atob\\(|fromcharcode|unescape\\(|document\\.write\\(");
  private static final Pattern MINING =
      Pattern.compile(
          "coinhive|cryptonight|stratum\\+tcp|coin-hive|webminer|minero\\.cc|cryptoloot");
  private static final Pattern ESCAPE = Pattern.compile("\\\\[xu]");
  private static final int NO_PROOF = ScriptScores.MALICIOUS_BELOW + 5;

  /** Creates the scorer. */
  public HeuristicScorer() {}

  @Override
  public ScriptScores score(byte[] content) {
    return score(content, "");
  }

  @Override
  public ScriptScores score(byte[] content, String siteDomain) {
    String sent = ScriptText.asSent(content);
    SkimmerSigns signs = SkimmerSigns.of(sent, siteDomain);
    String text = sent.toLowerCase(Locale.ROOT);
    long dynamic = count(text, DYNAMIC);
    long mining = count(text, MINING);
    double kibibytes = Math.max(1, text.length() / 1_024.0);
    int obfuscation = score(dynamic / kibibytes * 20 + escapes(text) * 150);
    int cryptomining = score(mining * 46.0);
    int magecart = score(signs.suspicion());
    // Hidden code and sent data are no proof: only the two others are below the threshold.
    int dataflow = Math.max(NO_PROOF, score(signs.sending() * 20.0));
    int malware =
        Math.max(
            NO_PROOF, score((100 - obfuscation) * 0.6 + (text.contains("activexobject") ? 30 : 0)));
    int worst = Math.min(Math.min(cryptomining, magecart), Math.min(malware, dataflow));
    return new ScriptScores(worst, obfuscation, dataflow, malware, cryptomining, magecart);
  }

  /** Converts suspicion, from 0 to 100 and more, to a score. */
  private static int score(double suspicion) {
    return (int) Math.clamp(99 - suspicion, 1, 99);
  }

  private static long count(String text, Pattern words) {
    return words.matcher(text).results().count();
  }

  /** The share of the text that is hexadecimal or Unicode escapes. */
  private static double escapes(String text) {
    int escapes =
        ESCAPE.matcher(text).results().mapToInt(one -> one.group().endsWith("x") ? 4 : 6).sum();
    return (double) escapes / Math.max(1, text.length());
  }
}
