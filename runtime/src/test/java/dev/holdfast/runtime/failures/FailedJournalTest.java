package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Many objects wait for the journal, which fails. The first thread that wakes resets all instances,
 * one after the other; meanwhile no other may continue as if its writes were durable.
 */
class FailedJournalTest {

  private static final int OBJECTS = 50;

  private final Host host = Host.open(Durability.MANUAL);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountDownLatch resetsAll = new CountDownLatch(1);

  @AfterEach
  void close() {
    goOn.countDown();
    host.close();
  }

  /**
   * The thread that resets all instances blocks in that of an object, as if releasing stores took
   * long: there it fails a queued task.
   */
  private RunningCall startBlocker() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    RunningCall blocker =
        host.start(
            "blocker",
            (_, context) -> {
              var _ =
                  context
                      .async(() -> null)
                      .whenComplete(
                          (_, _) -> {
                            resetsAll.countDown();
                            await(goOn);
                          });
              runs.countDown();
              await(goOn);
              return null;
            });
    runs.await();
    return blocker;
  }

  /**
   * Starts many calls that wait for their writes, lets the journal fail, and returns the calls that
   * continued.
   */
  private int wentOnAfterFailure(Waiting waiting) throws Exception {
    RunningCall blocker = startBlocker();
    AtomicInteger wentOn = new AtomicInteger();
    List<RunningCall> calls = new ArrayList<>();
    for (int i = 0; i < OBJECTS; i++) {
      calls.add(
          host.start(
              "object " + i,
              (_, context) -> {
                context.storage().put("key", 1L);
                waiting.run(context, wentOn);
                return null;
              }));
    }
    host.journal.awaitWaiters(OBJECTS);
    host.journal.fail(new IOException("the disk is gone"));
    while (calls.stream().filter(RunningCall::isDone).count() < OBJECTS - 1) {
      Thread.onSpinWait(); // the remaining thread resets all
    }
    await(resetsAll);
    goOn.countDown();
    for (RunningCall call : calls) {
      assertThat(call.failure()).isInstanceOf(InstanceResetException.class);
    }
    blocker.failure();
    return wentOn.get();
  }

  private interface Waiting {
    void run(dev.holdfast.ObjectContext context, AtomicInteger wentOn) throws Exception;
  }

  @Test
  void workOutsideDoesNotBegin() throws Exception {
    assertThat(wentOnAfterFailure((context, wentOn) -> context.call(wentOn::incrementAndGet)))
        .isZero();
  }

  @Test
  void syncDoesNotReturn() throws Exception {
    assertThat(
            wentOnAfterFailure(
                (context, wentOn) -> {
                  context.storage().sync();
                  wentOn.incrementAndGet();
                }))
        .isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
