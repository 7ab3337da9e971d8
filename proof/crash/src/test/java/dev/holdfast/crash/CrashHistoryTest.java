package dev.holdfast.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker finds each kind of broken promise, so that its silence means something. */
final class CrashHistoryTest {

  private static final StepPlan PLAN = new StepPlan(7);

  private final History history = new History(new Workload(7, 2, CrashStorage.SQLITE));
  private final Map<Integer, List<Long>> notes = new HashMap<>(Map.of(0, new ArrayList<>()));

  @Test
  void keptPromisesAreSilent() {
    begun(5);
    answered(3);

    history.check(found(stateAfter(4)));

    assertThat(history.violations()).isEmpty();
    assertThat(history.checkedCount()).isPositive();
  }

  @Test
  void lostAnswerIsFound() {
    begun(5);
    answered(3);

    history.check(found(stateAfter(2)));

    assertThat(history.violations().getFirst()).contains("holds step 2; it was promised step 3");
  }

  @Test
  void stepBackBeforeWhatWasReadIsFound() {
    begun(5);
    history.check(found(stateAfter(5)));

    history.check(found(stateAfter(4)));

    assertThat(history.violations().getFirst()).contains("promised step 5");
  }

  @Test
  void stepThatNoCallerBeganIsFound() {
    begun(5);

    history.check(found(stateAfter(6)));

    assertThat(history.violations().getFirst()).contains("5 at most can have begun");
  }

  @Test
  void tornBatchIsFound() {
    begun(5);
    Cell.Dump torn = stateAfter(5);
    torn.keys().remove(torn.keys().keySet().iterator().next());

    history.check(found(torn));

    assertThat(history.violations().getFirst()).contains("cell 0 after step 5: key");
  }

  @Test
  void rowOfALostBatchIsFound() {
    begun(5);
    Cell.Dump state = stateAfter(5);
    state.rows().put(999L, "text:1:0");

    history.check(found(state));

    assertThat(history.violations().getFirst()).contains("row 999 should be null");
  }

  @Test
  void answerThatIsGivenTwiceIsFound() {
    begun(2);
    answered(1);
    answered(1);

    assertThat(history.violations()).containsExactly("step 1 of cell 0 was answered twice");
  }

  @Test
  void calleeThatKnowsMoreThanItsCallerIsFound() {
    long call = firstCall();
    begun(call);
    notes.get(0).add(call);

    history.check(found(stateAfter(call - 1)));

    assertThat(history.violations().getFirst()).contains("which the cell does not");
  }

  @Test
  void answeredCallThatTheCalleeHasLostIsFound() {
    long call = firstCall();
    begun(call);
    answered(call);

    history.check(found(stateAfter(call)));

    assertThat(history.violations().getFirst()).contains("which does not have it");
  }

  @Test
  void keysAndRowsOfOneTurnThatDisagreeAreFound() {
    Snapshot snapshot = found(stateAfter(0));
    snapshot.take(new String[] {"M", "0", "3", "2"});

    history.check(snapshot);

    assertThat(history.violations().getFirst()).contains("a turn was torn");
  }

  @Test
  void planIsAFunctionOfSeedCellAndStep() {
    CrashStep first = PLAN.step(1, 10);
    CrashStep again = new StepPlan(7).step(1, 10);

    assertThat(again).usingRecursiveComparison().isEqualTo(first);
    assertThat(new StepPlan(8).step(1, 10)).usingRecursiveComparison().isNotEqualTo(first);
  }

  private long firstCall() {
    long seq = 1;
    while (!PLAN.step(0, seq).callsMirror()) {
      seq++;
    }
    return seq;
  }

  private void begun(long count) {
    for (long call = 0; call < count; call++) {
      history.take(new String[] {"B", "0"});
    }
  }

  private void answered(long seq) {
    history.take(new String[] {"A", "0", String.valueOf(seq)});
    // The call of the mirror is another test's matter.
    if (seq != firstCall() && PLAN.step(0, seq).callsMirror()) {
      notes.get(0).add(seq);
    }
  }

  private static Cell.Dump stateAfter(long seq) {
    Map<String, String> keys = new HashMap<>();
    Map<Long, String> rows = new HashMap<>();
    for (long each = 1; each <= seq; each++) {
      CrashStep step = PLAN.step(0, each);
      if (step.clear()) {
        keys.clear();
        rows.clear();
      }
      step.deletes().forEach(keys::remove);
      step.puts().forEach((key, value) -> keys.put(key, Digest.of(value)));
      step.rows().forEach(row -> rows.remove(row.id()));
      step.rows()
          .forEach(
              row ->
                  row.body()
                      .ifPresentOrElse(
                          body -> rows.put(row.id(), Digest.of(body)),
                          () -> rows.remove(row.id())));
    }
    return new Cell.Dump(seq, 0, keys, rows);
  }

  private Snapshot found(Cell.Dump cell) {
    Snapshot snapshot = new Snapshot();
    CrashReport.reportCell(0, cell, line -> snapshot.take(line.split(" ", -1)));
    List<Mirror.Note> mirrored = new ArrayList<>();
    notes.get(0).forEach(seq -> mirrored.add(new Mirror.Note(0, seq)));
    CrashReport.reportMirror(
        0,
        new Mirror.Dump(mirrored.size(), mirrored.size(), mirrored),
        line -> snapshot.take(line.split(" ", -1)));
    return snapshot;
  }
}
