package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.turn.CallQueueing;
import dev.holdfast.runtime.internal.turn.EngineServices;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Patience;
import dev.holdfast.runtime.internal.turn.QueuedCall;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Threads that leave the engine in the middle, because there is no stack, and who comes next. */
final class LostTurnTest {

  private final AtomicInteger ends = new AtomicInteger();
  private final EngineServices services =
      new EngineServices(
          new InMemoryJournal(),
          new NoRecovery(),
          new ValueCache(0),
          new VirtualClock(),
          Thread.ofVirtual().factory(),
          System.getLogger("test"),
          null,
          _ -> {});
  private final Turns turns =
      new Turns(
          services,
          new ObjectKey("things", ObjectId.of(new byte[32], null)),
          () -> {
            throw new AssertionError("nothing is stored");
          },
          ends::incrementAndGet,
          /* held= */ false);

  private boolean deliver(QueuedCall.Code code) {
    ExecutionStack stack = ExecutionStack.current();
    Execution call = Execution.ofCall(turns, Thread.currentThread(), null);
    return CallQueueing.deliver(call, stack, 10, Patience.UNLIMITED, code);
  }

  private void lose(QueuedCall.Code code) {
    assertThatThrownBy(
            () ->
                deliver(
                    (call, stack) -> {
                      code.run(call, stack);
                      throw new StackOverflowError("planned");
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(ExecutionStack.current().top()).isNull();
  }

  private void assertEndsWithTheNextCall() {
    assertThat(ends).hasValue(0);
    assertThat(deliver((_, _) -> {})).as("delivered").isFalse();
    assertThat(ends).hasValue(1);
    assertThat(turns.isReset()).isTrue();
  }

  @Test
  void turnThatWasNotBegunIsEndedByTheNextCall() {
    lose((_, _) -> {});
    assertEndsWithTheNextCall();
  }

  @Test
  void turnThatRanIsEndedByTheNextCall() {
    lose(
        (call, stack) -> {
          stack.setTop(call);
          turns.begin(call);
        });
    assertEndsWithTheNextCall();
  }

  @Test
  void sweeperEndsItIfNobodyComes() {
    lose((call, _) -> turns.begin(call));
    turns.ending().recoverIfLost();
    turns.ending().recoverIfLost();

    assertThat(ends).hasValue(1);
  }

  @Test
  void executionThatIsLostInAWaitLeavesTheTurnToOthersAndResetsTheObjectAtItsEnd() {
    lose(
        (call, _) -> {
          turns.begin(call);
          turns.suspension().suspend(call);
        });

    assertThat(
            deliver(
                (call, _) -> {
                  turns.begin(call);
                  assertThat(turns.finish(call)).as("counts").isFalse();
                }))
        .isTrue();
    assertThat(turns.isReset()).isTrue();
    assertThat(ends).hasValue(1);
  }

  @Test
  void callThatIsOverIsNotLost() {
    lose(
        (call, _) -> {
          turns.begin(call);
          turns.finish(call);
        });

    assertThat(
            deliver(
                (call, _) -> {
                  turns.begin(call);
                  assertThat(turns.finish(call)).as("counts").isTrue();
                }))
        .isTrue();
    assertThat(ends).hasValue(0);
  }
}
