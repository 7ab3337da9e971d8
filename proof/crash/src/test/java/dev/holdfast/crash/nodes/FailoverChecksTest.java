package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A document that is restored to something else, and money that is gone, are found. */
final class FailoverChecksTest {

  private final Promises promises = new Promises();
  private final FailoverChecks checks = new FailoverChecks(promises, new SplittableRandom(1));
  private final Nodes nodes = new Nodes();

  /** Nodes that keep all promises, but those that a test breaks. */
  private static final class Nodes implements FailoverChecks.Asking {

    private final Map<String, String> contents = new HashMap<>();
    private boolean forgetsToRestore;
    private int refusals;
    private int missing;
    private int pauses;

    @Override
    public List<String> askAll(List<Call> calls) {
      return calls.stream().map(this::answer).toList();
    }

    private String answer(Call call) {
      return switch (call.kind()) {
        case "write" -> String.valueOf(contents.put(call.name(), call.rest()));
        case "mark" -> "to-" + contents.get(call.name()) + " " + contents.get(call.name());
        case "digest" -> String.valueOf(contents.get(call.name()));
        case "restore" -> restored(call);
        case "worth" ->
            String.valueOf(
                PurseObject.OPENING - (call.name().equals(CallPlan.purse(0)) ? missing : 0));
        default -> throw new IllegalArgumentException(call.kind());
      };
    }

    private String restored(Call call) {
      if (refusals > 0) {
        refusals--;
        return CrashNode.UNUSABLE + "too old";
      }
      if (!forgetsToRestore) {
        contents.put(call.name(), call.rest().substring("to-".length()));
      }
      return "";
    }

    @Override
    public void pause() {
      pauses++;
    }
  }

  private void failover() {
    checks.mark(nodes);
    checks.check(nodes);
  }

  @Test
  void keptPromisesAreSilent() {
    failover();
    failover();
    assertThat(promises.violations()).isEmpty();
    assertThat(checks.restores()).isEqualTo(4 * FailoverChecks.documents().size());
    assertThat(checks.sums()).isEqualTo(2);
    assertThat(nodes.pauses).isZero();
  }

  @Test
  void moneyIsCountedThoughNothingWasMarked() {
    nodes.missing = 1;
    checks.check(nodes);
    assertThat(promises.violations())
        .containsExactly("8 purses have 7999 together instead of 8000");
  }

  @Test
  void documentThatIsNotAsItWasIsFound() {
    nodes.forgetsToRestore = true;
    failover();
    assertThat(promises.violations()).hasSize(2 * FailoverChecks.documents().size());
    assertThat(promises.violations().getFirst())
        .contains("the document d0 was restored to to-text");
  }

  @Test
  void bookmarkThatIsRefusedForAWhileIsTriedAgain() {
    nodes.refusals = 3;
    failover();
    assertThat(promises.violations()).isEmpty();
    assertThat(nodes.pauses).isPositive();
  }

  @Test
  void bookmarkThatIsRefusedForGoodIsFound() {
    nodes.refusals = Integer.MAX_VALUE;
    failover();
    assertThat(promises.violations().getFirst())
        .contains("of the document d0 cannot be restored, it is unusable: too old");
  }
}
