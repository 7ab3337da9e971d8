package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.crash.nodes.Call.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each kind of broken promise is found, so that silence means something. */
final class KeptPromisesTest {

  private final Promises promises = new Promises();
  private long time;

  private void ended(Call call, Outcome outcome, String result) {
    promises.begun(call);
    promises.ended(call, outcome, result, ++time, ++time);
  }

  private void append(String line, Outcome outcome) {
    ended(new Call("append", "l0", line), outcome, "");
  }

  @Test
  void keptPromisesAreSilent() {
    append("a0.1", Outcome.ANSWERED);
    append("a0.2", Outcome.NONE);
    append("a0.3", Outcome.UNKNOWN);
    append("a0.4", Outcome.ANSWERED);
    promises.checkLines("l0", List.of("a0.1", "a0.4", "a0.3"));
    ended(new Call("add", "n0", "2"), Outcome.ANSWERED, "2");
    ended(new Call("add", "n0", "3"), Outcome.NONE, "");
    ended(new Call("read", "n0", ""), Outcome.ANSWERED, "2");
    promises.check("n0");
    ended(new Call("bell", "b1", "5"), Outcome.ANSWERED, "5");
    ended(new Call("rings", "b1", ""), Outcome.ANSWERED, "0,7");
    promises.checkMoney(3 * PurseObject.OPENING, 3);
    assertThat(promises.violations()).isEmpty();
    assertThat(promises.bellThatMustHaveRung(100)).isNull();
  }

  @Test
  void lostLineIsFound() {
    append("a0.1", Outcome.ANSWERED);
    promises.checkLines("l0", List.of());
    assertThat(promises.violations())
        .containsExactly("the line a0.1 of l0 was ANSWERED and is there 0 times");
  }

  @Test
  void lineThatWasExecutedTwiceIsFound() {
    append("a0.1", Outcome.UNKNOWN);
    promises.checkLines("l0", List.of("a0.1", "a0.1"));
    assertThat(promises.violations()).hasSize(1);
  }

  @Test
  void lineThatWasSaidNotToBeDeliveredIsFound() {
    append("a0.1", Outcome.NONE);
    promises.checkLines("l0", List.of("a0.1"));
    assertThat(promises.violations()).hasSize(1);
  }

  @Test
  void lineOfNobodyIsFound() {
    promises.checkLines("l0", List.of("x.1"));
    assertThat(promises.violations()).containsExactly("nobody appended the line x.1 of l0");
  }

  @Test
  void linesOfACallerInAnotherOrderAreFound() {
    append("a0.1", Outcome.ANSWERED);
    append("a0.2", Outcome.ANSWERED);
    promises.checkLines("l0", List.of("a0.2", "a0.1"));
    assertThat(promises.violations()).hasSize(1);
  }

  @Test
  void staleReadIsFound() {
    ended(new Call("add", "n0", "2"), Outcome.ANSWERED, "2");
    ended(new Call("read", "n0", ""), Outcome.ANSWERED, "0");
    promises.check("n0");
    assertThat(promises.violations().getFirst()).contains("number n0 is REFUSED");
  }

  @Test
  void callsOfANumberThatWasCheckedDoNotCount() {
    ended(new Call("add", "n0", "2"), Outcome.ANSWERED, "2");
    for (int i = 0; i < Promises.UNKNOWN_MAX; i++) {
      ended(new Call("add", "n0", "3"), Outcome.UNKNOWN, "");
    }
    assertThat(promises.numbersChecked()).isEqualTo(1);
    assertThat(promises.isFull("n0")).isTrue();
    ended(new Call("read", "n0", ""), Outcome.ANSWERED, "5");
    promises.check("n0");
    assertThat(promises.numbers()).isEmpty();
    assertThat(promises.violations()).isEmpty();
  }

  @Test
  void bellThatWasSetByAClockThatWasAheadRingsWhenItsTimeHasCome() {
    ended(new Call("bell", "b1", "5"), Outcome.ANSWERED, "3600005");
    assertThat(promises.bellThatMustHaveRung(100)).isNull();
    assertThat(promises.bellThatMustHaveRung(3_600_006)).isEqualTo("b1");
    ended(new Call("bell", "b2", "5"), Outcome.ANSWERED, "4");
    assertThat(promises.violations()).hasSize(1);
  }

  @Test
  void bellThatRangEarlyOrWithoutCauseIsFound() {
    ended(new Call("bell", "b1", "5"), Outcome.ANSWERED, "5");
    ended(new Call("rings", "b1", ""), Outcome.ANSWERED, "-3");
    ended(new Call("bell", "b2", "5"), Outcome.NONE, "");
    ended(new Call("rings", "b2", ""), Outcome.ANSWERED, "1");
    assertThat(promises.violations()).hasSize(2);
  }

  @Test
  void lostMoneyIsFound() {
    promises.checkMoney(2 * PurseObject.OPENING - 1, 2);
    assertThat(promises.violations()).hasSize(1);
  }
}
