package dev.holdfast.runtime.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SentCallTest {

  private static final ObjectKey CALLED =
      new ObjectKey("things", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private final CallOrder order = new CallOrder();

  private SentCall add() {
    return order.add(CALLED, () -> null);
  }

  @Test
  void callsThatEndWithoutDeliveryFormNoChain() {
    SentCall last = add();
    for (int i = 0; i < 3; i++) {
      SentCall next = add(); // there is always one that is not over
      assertThat(next.ahead()).isSameAs(last);
      last.ended();
      assertThat(last.ahead()).isNull();
      last = next;
    }
    last.ended();
    assertThat(order.isIdle()).isTrue();
  }

  @Test
  void callsThatAreWithdrawnAfterAPendingOneLeadStraightToIt() {
    SentCall pending = add();
    SentCall first = add();
    SentCall second = add();
    SentCall third = add();

    first.ended();
    second.ended();

    assertThat(second.ahead()).isSameAs(pending);
    assertThat(SentCall.firstPending(third.ahead())).isSameAs(pending);
    third.ended();
    assertThat(order.last(CALLED)).isSameAs(pending);
    pending.delivered();
    assertThat(order.isIdle()).isTrue();
  }

  @Test
  void callerThatGivesUpLeavesNothingBehindInACallThatHangs() {
    SentCall hanging = add();
    List<String> woken = new ArrayList<>();
    hanging.whenOver(() -> woken.add("first"));
    hanging.whenOver(() -> woken.add("second"));
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> Waits.awaitEarlier(hanging, null, Cancellation.NEVER))
        .isInstanceOf(CallInterruptedException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(hanging.awaiting()).as("actions of others stay").isEqualTo(2);
    hanging.delivered();
    assertThat(woken).containsExactlyInAnyOrder("first", "second");
  }
}
