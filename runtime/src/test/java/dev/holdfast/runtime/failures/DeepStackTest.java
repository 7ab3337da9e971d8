package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.runtime.Host;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Object code that calls the engine from deep inside of a recursion. */
@Timeout(60)
final class DeepStackTest {

  /** To park takes stack in proportion to the depth: far from the end there is not enough. */
  private static final int DEPTH_MAX = 12_000;

  /** Where the thread of the object parks. */
  enum Park {
    /** For something that the object has started. */
    AWAIT {
      @Override
      void run(Host host, ObjectContext context, CompletableFuture<Object> end) {
        context.await(end);
      }
    },
    /** In the queue of another object. */
    CALL {
      @Override
      void run(Host host, ObjectContext context, CompletableFuture<Object> end) throws Exception {
        hold(host, "b", end);
        host.call("b", (_, _) -> "called");
      }
    },
    /** In the queue of its own object, after a wait. */
    RESUME {
      @Override
      void run(Host host, ObjectContext context, CompletableFuture<Object> end) throws Exception {
        context.call(
            () -> {
              hold(host, "a", end);
              return null;
            });
      }
    };

    abstract void run(Host host, ObjectContext context, CompletableFuture<Object> end)
        throws Exception;

    /** Has another thread hold the turn of an object. */
    static void hold(Host host, String name, CompletableFuture<Object> end) throws Exception {
      CountDownLatch held = new CountDownLatch(1);
      host.start(
          name,
          (_, _) -> {
            held.countDown();
            return end.join();
          });
      while (held.getCount() > 0) {
        Thread.onSpinWait(); // to park here would be the test's own overflow
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void virtualThreadThatIsTooDeepToParkResetsItsObjectAndStopsNothing(Park park) throws Exception {
    try (Host host = Host.open()) {
      boolean isTooDeep = false;
      for (int depth = 500; depth <= DEPTH_MAX && !isTooDeep; depth += 500) {
        int frames = depth;
        CompletableFuture<Object> end = new CompletableFuture<>();
        CompletableFuture<Object> reply = new CompletableFuture<>();
        Thread thread =
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        reply.complete(
                            host.call("a", (_, context) -> dive(frames, park, host, context, end)));
                      } catch (Throwable e) {
                        reply.complete(e);
                      }
                    });
        while (!reply.isDone() && thread.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
        end.complete("over");
        isTooDeep = !"done".equals(reply.get());
        if (isTooDeep) {
          assertThat(reply.get()).asString().contains("its code ran out of stack or memory");
        }
        for (String name : new String[] {"a", "b", "c"}) {
          assertThat(host.call(name, (_, _) -> "there")).as(name).isEqualTo("there");
        }
      }
      assertThat(isTooDeep).as("reached the depth").isTrue();
    }
  }

  private static Object dive(
      int depth, Park park, Host host, ObjectContext context, CompletableFuture<Object> end)
      throws Exception {
    if (depth == 0) {
      park.run(host, context, end);
      return "done";
    }
    return Optional.of(dive(depth - 1, park, host, context, end)).orElseThrow();
  }

  @Test
  void transactionThatRanOutOfStackIsOverForCodeThatCatchesTheError() throws Exception {
    try (Host host = Host.open()) {
      for (int start = 0; start < 10; start++) {
        int frames = start;
        CompletableFuture<Object> reply = new CompletableFuture<>();
        Thread.ofPlatform()
            .stackSize(256 << 10)
            .start(
                () -> {
                  try {
                    reply.complete(
                        host.call("a", (_, context) -> transactAtTheEnd(context, frames)));
                  } catch (Throwable e) {
                    reply.complete(e);
                  }
                });
        assertThat(reply.get()).as("from frame " + start).isEqualTo("went on");
      }
    }
  }

  private static Object transactAtTheEnd(ObjectContext context, int frames) {
    if (frames > 0) {
      return Optional.of(transactAtTheEnd(context, frames - 1)).orElseThrow();
    }
    transact(context);
    // Refused while a transaction is open.
    return context.await(CompletableFuture.completedFuture("went on"));
  }

  /** Makes a transaction as near to the end of the stack as one can be begun. */
  private static boolean transact(ObjectContext context) {
    try {
      if (transact(context)) {
        return true;
      }
    } catch (StackOverflowError e) {
      // The caller of this has a little more.
    }
    boolean[] began = new boolean[1];
    try {
      context
          .storage()
          .transactionSync(
              () -> {
                began[0] = true;
                throw new StackOverflowError("planned");
              });
    } catch (StackOverflowError e) {
      return began[0];
    }
    return true;
  }
}
