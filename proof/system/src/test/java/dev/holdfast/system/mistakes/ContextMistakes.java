package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.StorageTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Contexts at the wrong time, and transactions. */
final class ContextMistakes {

  private ContextMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "the context on another thread",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) ->
                        CompletableFuture.supplyAsync(() -> context.storage().list(Long.class))
                            .join())),
        Mistake.of(
            "the context after its turn",
            host -> {
              List<ObjectContext> kept = new ArrayList<>();
              host.inside(Host.PROBES, (context, _) -> kept.add(context));
              kept.getFirst().storage().put("key", 1L);
            }),
        Mistake.of(
            "storage in work outside of the turn",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) -> context.call(() -> context.storage().sql().databaseSize()))),
        Mistake.of(
            "a wait in transactionSync",
            host ->
                host.storage(
                    storage ->
                        storage.transactionSync(
                            () -> {
                              storage.sync();
                              return null;
                            }))),
        Mistake.of(
            "deleteAll in a transaction",
            host ->
                host.storage(
                    storage ->
                        storage.transaction(
                            _ -> {
                              storage.deleteAll();
                              return null;
                            }))),
        Mistake.of(
            "a transaction used after its end",
            host ->
                host.storage(
                    storage -> {
                      List<StorageTransaction> kept = new ArrayList<>();
                      storage.transaction(kept::add);
                      kept.getFirst().put("key", 1L);
                    })),
        Mistake.of(
            "a critical section that throws",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) ->
                        context.blockConcurrencyWhile(
                            () -> {
                              throw new IllegalStateException("the rates cannot be loaded");
                            }))),
        Mistake.of("a critical section without an end", ContextMistakes::endlessSection),
        Mistake.of(
            "a timer in the past",
            host ->
                host.inside(
                    Host.PROBES,
                    (context, _) -> context.schedule(Duration.ofSeconds(-1), () -> {}))));
  }

  private static void endlessSection(Host host) {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Object> call =
        host.stub(
                Host.PROBES,
                (context, _) ->
                    context.blockConcurrencyWhile(
                        () -> {
                          begun.complete(null);
                          return context.await(new CompletableFuture<>());
                        }))
            .async(probe -> probe.run(null));
    begun.join();
    host.clock.advance(Duration.ofSeconds(30));
    call.join();
  }
}
