package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.system.mistakes.Host.Probe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Calls, their time-outs and their ends. */
final class CallMistakes {

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private CallMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "a time-out of zero",
            host -> host.stub(Host.PROBES, (_, argument) -> argument).withTimeout(Duration.ZERO)),
        Mistake.of(
            "an object that is busy longer than the time-out", CallMistakes::notDeliveredInTime),
        Mistake.of("an answer that comes too late", CallMistakes::notAnsweredInTime),
        Mistake.of("more calls than the queue takes", CallMistakes::overloaded),
        Mistake.of(
            "two objects that call each other in a circle",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) ->
                        context.namespace(Host.PROBES, Probe.class).get(context.id()).run(null))),
        Mistake.of(
            "a call of the own object in a critical section",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) ->
                        context.blockConcurrencyWhile(
                            () ->
                                context
                                    .namespace(Host.PROBES, Probe.class)
                                    .get(context.id())
                                    .run(null)))),
        Mistake.of(
            "a call from a thread that is interrupted",
            host -> {
              ObjectStub<Probe> stub =
                  host.stub(
                      Host.PROBES,
                      (context, _) -> {
                        Thread.currentThread().interrupt();
                        return context.await(new CompletableFuture<>());
                      });
              try {
                stub.blocking().run(null);
              } finally {
                Thread.interrupted();
              }
            }),
        Mistake.of(
            "an object that was aborted",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) -> {
                      throw context.abort("its version is too old");
                    })),
        Mistake.of(
            "recursion without an end", host -> host.inside(Host.PROBES, (_, _) -> deeper(1))),
        Mistake.of(
            "a call after the close",
            host -> {
              ObjectRuntime runtime =
                  Host.open(
                      host.missing(),
                      objects ->
                          objects.namespace("carts", Probe.class, _ -> argument -> argument));
              Probe cart = runtime.namespace("carts", Probe.class).getByName("one");
              runtime.close();
              cart.run(null);
            }),
        Mistake.of(
            "an object that closes its runtime",
            host ->
                host.inside(
                    Host.PROBES,
                    (_, _) -> {
                      host.runtime().close();
                      return null;
                    })),
        Mistake.of(
            "an object that administers others",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) -> host.runtime().admin().evict(Host.PROBES, context.id()))),
        Mistake.of(
            "an object that exports itself",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) -> {
                      host.runtime().recovery(Host.PROBES, context.id()).exportTo(host.missing());
                      return null;
                    })));
  }

  private static long deeper(long depth) {
    return depth + deeper(depth + 1);
  }

  private static void notDeliveredInTime(Host host) throws Exception {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    ObjectStub<Probe> stub =
        host.stub(
            Host.PROBES,
            (_, _) -> {
              begun.complete(null);
              return end.join();
            });
    CompletableFuture<Object> first = stub.async(probe -> probe.run(null));
    begun.join();
    int timers = host.clock.pendingTimers();
    CompletableFuture<Object> second =
        CompletableFuture.supplyAsync(() -> called(stub.withTimeout(TIMEOUT)));
    host.clock.awaitPendingTimers(timers + 1);
    host.clock.advance(TIMEOUT);
    try {
      second.join();
    } finally {
      end.complete(null);
      first.join();
    }
  }

  private static void notAnsweredInTime(Host host) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    ObjectStub<Probe> stub =
        host.stub(
            Host.PROBES,
            (context, _) -> {
              begun.complete(null);
              return context.await(end);
            });
    CompletableFuture<Object> call =
        CompletableFuture.supplyAsync(() -> called(stub.withTimeout(TIMEOUT)));
    begun.join();
    host.clock.advance(TIMEOUT);
    try {
      call.join();
    } finally {
      end.complete(null);
    }
  }

  private static Object called(ObjectStub<Probe> stub) {
    try {
      return String.valueOf(stub.blocking().run(null));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** One call runs and one waits, which is the limit of the namespace. */
  private static void overloaded(Host host) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    ObjectStub<Probe> stub =
        host.stub(
            Host.PROBES,
            (_, _) -> {
              begun.complete(null);
              return end.join();
            });
    CompletableFuture<Object> first = stub.async(probe -> probe.run(null));
    begun.join();
    CompletableFuture<Object> second = stub.async(probe -> probe.run(null));
    CompletableFuture<Object> third = stub.async(probe -> probe.run(null));
    try {
      CompletableFuture.anyOf(second, third).join();
    } finally {
      end.complete(null);
      first.join();
    }
  }
}
