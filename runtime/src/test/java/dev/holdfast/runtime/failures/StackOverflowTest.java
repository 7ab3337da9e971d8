package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.runtime.Host;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Object code that recurses until its stack is used up, with something of the engine at each step:
 * the error occurs anywhere in the engine. Afterwards the object must work.
 */
@Timeout(600)
final class StackOverflowTest {

  private static final int STARTS = "long".equals(System.getProperty("holdfast.tests")) ? 500 : 15;

  /** What the object does at each step of its recursion. */
  enum Step {
    PUT {
      @Override
      void run(Host host, ObjectContext context) {
        context.storage().put("key", "value");
      }
    },
    AWAIT {
      @Override
      void run(Host host, ObjectContext context) {
        context.await(CompletableFuture.completedFuture(null));
      }
    },
    WORK {
      @Override
      void run(Host host, ObjectContext context) throws Exception {
        context.call(() -> null);
      }
    },
    CALL {
      @Override
      void run(Host host, ObjectContext context) throws Exception {
        host.call("b", 0);
      }
    },
    SEND {
      @Override
      void run(Host host, ObjectContext context) {
        host.stub("b").async(thing -> thing.run(0));
      }
    },
    SECTION {
      @Override
      void run(Host host, ObjectContext context) throws Exception {
        context.blockConcurrencyWhile(() -> null);
      }
    },
    SYNC {
      @Override
      void run(Host host, ObjectContext context) {
        context.storage().put("key", "value");
        context.storage().sync();
      }
    };

    abstract void run(Host host, ObjectContext context) throws Exception;
  }

  @ParameterizedTest
  @EnumSource
  void objectWorksAfterItsStackWasUsedUpAnywhere(Step step) throws Exception {
    try (Host host = Host.open()) {
      assertThat(host.number((self, _) -> ++self.count)).isZero();
      int recursion = host.number((_, context) -> recurse(host, context, step));
      for (int start = 0; start < STARTS; start++) {
        int frames = start;
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        // A small stack, and another number of frames on it each time.
        Thread.ofPlatform()
            .stackSize(256 << 10)
            .start(() -> end.complete(run(host, recursion, frames)));
        assertThat(end.get()).as("from frame " + start).isNotNull();
        for (String name : List.of("a", "b")) {
          assertThat(host.call(name, 0)).as(name).isNotNull();
        }
      }
    }
  }

  @Test
  void errorOfTheMachineInObjectCodeResetsTheObjectAndItsWritesAreGone() throws Exception {
    try (Host host = Host.open()) {
      assertThatThrownBy(
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.storage().put("key", 1L);
                        throw new OutOfMemoryError("planned");
                      }))
          .isInstanceOf(InstanceResetException.class)
          .hasMessageContaining("ran out of stack or memory")
          .hasCauseInstanceOf(OutOfMemoryError.class);

      assertThat(host.call("a", (_, context) -> context.storage().get("key", Long.class)))
          .isEqualTo(Optional.empty());
    }
  }

  /** The cache belongs to all objects: what an error interrupts in it stays as it is. */
  @Test
  void readOfACachedValueRunsOutOfStackBeforeTheCacheIsEntered() throws Exception {
    try (Host host = Host.open()) {
      host.call(
          "a",
          (_, context) -> {
            context.storage().put("key", "value");
            return context.storage().get("key", String.class);
          });
      for (int start = 0; start < STARTS; start++) {
        int frames = start;
        Object where = host.call("a", (_, context) -> whereReadingEnds(context, frames));
        assertThat(where).as("from frame " + start).isEqualTo(Optional.empty());
      }
    }
  }

  /**
   * {@return the frame of the cache in which the stack has run out; empty if it was no such one}
   */
  private static Optional<String> whereReadingEnds(ObjectContext context, int frames) {
    if (frames > 0) {
      return whereReadingEnds(context, frames - 1);
    }
    try {
      readOn(context);
      return Optional.of("the stack has no end");
    } catch (StackOverflowError e) {
      return Stream.of(e.getStackTrace())
          .map(StackTraceElement::toString)
          .filter(frame -> frame.contains("caffeine"))
          .findFirst();
    }
  }

  private static Object readOn(ObjectContext context) {
    context.storage().get("key", String.class);
    return List.of(readOn(context));
  }

  /** What an operator's thread does at each step out of its recursion. */
  enum Operation {
    RESET {
      @Override
      void run(Host host, ObjectId id) {
        host.runtime.admin().reset(Host.THINGS, id);
      }
    },
    EVICT {
      @Override
      void run(Host host, ObjectId id) {
        host.runtime.admin().evict(Host.THINGS, id);
      }
    };

    abstract void run(Host host, ObjectId id);
  }

  @ParameterizedTest
  @EnumSource
  void objectWorksAfterTheStackOfAnOperatorWasUsedUp(Operation operation) throws Exception {
    try (Host host = Host.open()) {
      int touch = host.number((self, _) -> ++self.count);
      ObjectId id = host.id("a");
      host.call("a", touch);
      operation.run(host, id); // with all of its classes
      for (int start = 0; start < STARTS; start++) {
        host.call("a", touch);
        int frames = start % 100; // more would be most of the stack
        Thread operator =
            Thread.ofPlatform()
                .stackSize(256 << 10)
                .unstarted(() -> operate(host, operation, id, frames));
        operator.start();
        operator.join();
        assertThat(host.async("a", (_, _) -> "there").get(5, TimeUnit.SECONDS))
            .as("from frame " + start)
            .isEqualTo("there");
      }
    }
  }

  /** Uses up the stack, and tries again in each frame on the way out until it is enough. */
  private static boolean operate(Host host, Operation operation, ObjectId id, int frames) {
    if (frames > 0) {
      return operate(host, operation, id, frames - 1);
    }
    boolean isDone = false;
    try {
      isDone = operate(host, operation, id, 0);
    } catch (StackOverflowError | RuntimeException e) {
      // Nothing is left: the frame below tries.
    }
    if (!isDone) {
      operation.run(host, id);
    }
    return true;
  }

  private static Throwable run(Host host, int recursion, int frames) {
    if (frames > 0) {
      return run(host, recursion, frames - 1);
    }
    Throwable failure = null;
    try {
      host.call("a", recursion);
    } catch (Throwable e) {
      failure = e;
    }
    try {
      // The thread itself can still be used, too.
      host.call("b", 0);
    } catch (Throwable e) {
      e.printStackTrace();
      return null;
    }
    return failure;
  }

  private static Object recurse(Host host, ObjectContext context, Step step) throws Exception {
    step.run(host, context);
    return List.of(recurse(host, context, step));
  }
}
