package dev.holdfast.histories;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.histories.Register.Call;
import dev.holdfast.histories.Verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check must refuse planted bad histories, and accept those that a register can give. */
class LinearizabilityCheckTest {

  private static Verdict check(String history) {
    return LinearizabilityCheck.check(new Register(), Histories.of(history));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // One caller alone.
        "0-1 read = 1",
        "0-1 add 1 = 2",
        "0-1 add 1 = 1; 2-3 read = 0",
        "0-1 add 1 = 1; 2-3 add 1 = 1",
        "0-1 set 0 5 = 0",
        "0-1 set 1 5 = 1",
        "0-1 set 0 5 = 1; 2-3 set 0 6 = 1",
        "0-1 add 1 = 1; 2-3 read = 1; 4-5 read = 0",
        // A stale read of another caller, after the answer of the write.
        "0-5 add 1 = 1; 6-9 read = 0; 7-8 read = 1",
        "0-9 add 1 = 1; 1-2 read = 1; 3-4 read = 0",
        // The write is lost.
        "0-1 add 1 = 1; 2-3 add 2 = 2; 4-5 read = 2",
        // Two owners at once: both add to the same state.
        "0-9 add 1 = 1; 1-8 add 1 = 1",
        "0-9 set 0 1 = 1; 1-8 set 0 2 = 1",
        // A call is executed twice.
        "0-1 add 1 = 1; 2-3 read = 2",
        "0-9 add 1 = 1; 1-2 read = 2",
        "0-? add 1; 1-2 read = 2",
        "0-? add 1; 1-2 read = 1; 3-4 read = 2",
        // An effect before the call begins.
        "0-1 read = 1; 2-3 add 1 = 1",
        "0-1 read = 1; 2-? add 1",
        // An unknown call that took effect is undone.
        "0-? add 1; 1-2 read = 1; 3-4 read = 0",
        "0-? set 0 7; 1-2 read = 7; 3-4 set 0 1 = 1",
        // Two readers see two writes in different orders.
        "0-9 set 0 1 = 1; 0-9 set 1 0 = 1; 1-2 read = 0; 3-4 read = 1; 5-6 read = 0; 7-8 read = 1",
        "0-? set 0 1; 0-? set 1 2; 1-2 read = 2; 3-4 read = 1",
        // Each pair of calls fits, all three do not.
        "0-3 add 1 = 1; 2-6 add 2 = 3; 4-5 read = 2",
        "0-9 add 1 = 2; 0-9 add 2 = 3; 0-9 add 1 = 1",
        // The bad one is late, behind good ones.
        "0-1 add 1 = 1; 2-3 add 1 = 2; 4-5 set 2 9 = 1; 6-7 read = 9; 8-9 add 1 = 10; 10-11 read ="
            + " 9",
      })
  void badHistoryIsRefused(String history) {
    Verdict verdict = check(history);
    assertThat(verdict.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(verdict.explanation()).contains("must be next");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0-1 read = 0",
        "0-1 add 1 = 1; 2-3 read = 1",
        "0-9 add 1 = 1; 1-2 read = 0",
        "0-9 add 1 = 1; 1-2 read = 0; 3-4 read = 1; 5-6 read = 1",
        "0-9 add 1 = 2; 0-9 add 1 = 1",
        "0-9 set 0 1 = 1; 0-9 set 0 2 = 0",
        "0-? add 1; 1-2 read = 0; 3-4 read = 1",
        "0-? add 1; 1-2 read = 0",
        "0-? add 1; 100-101 read = 0; 102-103 add 1 = 2",
        "0-? set 0 1; 0-? set 1 2; 1-2 read = 2",
        "0-? read; 1-2 read = 0",
        "0-5 add 1 = 1; 5-9 read = 0", // touching times: concurrent
        "0-9 set 1 0 = 1; 0-9 set 0 1 = 1; 1-2 read = 0; 3-4 read = 1; 5-6 read = 0",
      })
  void goodHistoryIsAccepted(String history) {
    assertThat(check(history)).isEqualTo(Verdict.GOOD);
  }

  /** A real register, whose calls take effect at a random moment between begin and answer. */
  @Property(tries = 400)
  void historyOfARegisterIsAccepted(@ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int n) {
    List<Operation<Call, Long>> history = randomHistory(new SplittableRandom(seed), n, 300);
    assertThat(LinearizabilityCheck.check(new Register(), history)).isEqualTo(Verdict.GOOD);
  }

  /** One answer is changed to a number that the register never had. */
  @Property(tries = 200)
  void impossibleAnswerInALongHistoryIsRefused(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Operation<Call, Long>> history = new ArrayList<>(randomHistory(random, 3, 120));
    int changed = random.nextInt(history.size());
    Operation<Call, Long> was = history.get(changed);
    history.set(
        changed, Operation.answered(new Register.Read(), 1_000_000L, was.begun(), was.begun() + 1));
    assertThat(LinearizabilityCheck.check(new Register(), history, 100_000).isLinearizable())
        .isFalse();
  }

  /** Random answers: the check says what a search through all orders says. */
  @Property(tries = 3000)
  void verdictIsThatOfAllOrders(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Operation<Call, Long>> history = new ArrayList<>();
    int count = random.nextInt(2, 7);
    for (int i = 0; i < count; i++) {
      long begun = random.nextInt(8);
      Call call = randomCall(random, 3);
      history.add(
          random.nextInt(5) == 0
              ? Operation.unknown(call, begun)
              : Operation.answered(
                  call,
                  call instanceof Register.CompareAndSet ? random.nextLong(2) : random.nextLong(4),
                  begun,
                  begun + random.nextInt(6)));
    }
    assertThat(LinearizabilityCheck.check(new Register(), history).isLinearizable())
        .as(history.toString())
        .isEqualTo(Histories.isLinearizableByAllOrders(history));
  }

  @Property(tries = 1)
  void searchEndsAtItsBound() {
    List<Operation<Call, Long>> history = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      history.add(Operation.unknown(new Register.Add(1L << i), 0));
    }
    history.add(Operation.answered(new Register.Read(), -1L, 1, 2));
    assertThat(LinearizabilityCheck.check(new Register(), history, 10_000).outcome())
        .isEqualTo(Outcome.UNDECIDED);
  }

  private static Call randomCall(SplittableRandom random, int numbers) {
    return switch (random.nextInt(3)) {
      case 0 -> new Register.Read();
      case 1 -> new Register.Add(1 + random.nextInt(numbers));
      default -> new Register.CompareAndSet(random.nextInt(numbers), random.nextInt(numbers));
    };
  }

  /** Each caller's next call begins when its last one was answered, or has surely not been. */
  private static List<Operation<Call, Long>> randomHistory(
      SplittableRandom random, int callers, int steps) {
    List<Operation<Call, Long>> history = new ArrayList<>();
    List<Running> running = new ArrayList<>();
    long number = 0;
    int unknownCount = 0;
    for (int time = 0; time < steps; time++) {
      if (running.size() < callers) {
        running.add(new Running(randomCall(random, 4), time));
      }
      Running one = running.get(random.nextInt(running.size()));
      switch (random.nextInt(3)) {
        case 0 -> {}
        case 1 -> number = one.takeEffect(number);
        default -> {
          if (unknownCount < 4 && random.nextInt(20) == 0) {
            unknownCount++; // it may have taken effect, or does later, or never
            history.add(Operation.unknown(one.call, one.begun));
          } else {
            number = one.takeEffect(number);
            history.add(Operation.answered(one.call, one.answer, one.begun, time));
          }
          running.remove(one);
        }
      }
    }
    running.forEach(one -> history.add(Operation.unknown(one.call, one.begun)));
    return history;
  }

  private static final class Running {

    private final Call call;
    private final long begun;
    private boolean hasEffect;
    private long answer;

    Running(Call call, long begun) {
      this.call = call;
      this.begun = begun;
    }

    long takeEffect(long number) {
      if (hasEffect) {
        return number;
      }
      hasEffect = true;
      Model.Applied<Long, Long> applied = new Register().apply(number, call);
      answer = applied.result();
      return applied.state();
    }
  }
}
