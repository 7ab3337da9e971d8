package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexSizeTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "'a{1000}', 900, 1100",
        "'(a{100}){100}', 10000, 20000",
        "'((((x{100}){100}){100}){100}){10}', 100000000, 9000000000000000000",
        "'((x{100}\\Q(\\E){100}\\Q(\\E){100}', 100000, 9000000000000000000",
        "'((x{100}[(]){100}[)]){100}', 1000000, 9000000000000000000",
        "'((x{100}[^](]){100}){100}', 1000000, 9000000000000000000",
        "'((x{100,}){100,200}){100}', 2000000, 9000000000000000000",
        "'\\x{2028}\\x{2029}\\pL\\p{Greek}', 1, 20",
        "'[[:alpha:](]{3}', 3, 10",
        "'(a|b)*c+d?', 1, 20",
        "')))((({{{', 0, 50",
        "'\\', 0, 5",
        "'\\Q', 0, 5",
        "'[', 0, 5",
        "'x{', 0, 5",
      })
  void sizeIsAboutTheNumberOfStates(String source, long least, long most) {
    assertThat(RegexSize.of(source)).isBetween(least, most);
  }
}
