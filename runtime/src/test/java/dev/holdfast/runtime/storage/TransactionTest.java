package dev.holdfast.runtime.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.StorageTransaction;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Explicit transactions: which writes are kept, which are rolled back, and which events wait. */
class TransactionTest {

  private final Host host = Host.open();
  private final List<String> events = new ArrayList<>();

  @AfterEach
  void close() {
    host.close();
  }

  /** Code that uses the storage of one object. */
  private interface Use {
    Object on(ObjectStorage storage) throws Exception;
  }

  private Object use(Use use) throws Exception {
    return host.call("a", (_, context) -> use.on(context.storage()));
  }

  private Map<String, Object> contents() throws Exception {
    AtomicReference<Map<String, Object>> found = new AtomicReference<>();
    use(
        storage -> {
          found.set(storage.list(Object.class));
          return null;
        });
    return found.get();
  }

  private static void assertRefused(String message, ThrowingCallable use) {
    assertThatThrownBy(use).isInstanceOf(MisuseException.class).hasMessageStartingWith(message);
  }

  @Test
  void transactionCommitsAndReturnsTheResultOfItsCode() throws Exception {
    Object result =
        use(
            storage ->
                storage.transaction(
                    transaction -> {
                      transaction.put("a", 1);
                      storage.put("b", 2);
                      assertThat(transaction.get("b", Long.class)).hasValue(2L);
                      return "done";
                    }));

    assertThat(result).isEqualTo("done");
    assertThat(contents()).containsOnlyKeys("a", "b");
  }

  @Test
  void exceptionRollsBackAndIsTheCallersAndTheObjectGoesOn() throws Exception {
    use(
        storage -> {
          storage.put("a", 1);
          assertThatThrownBy(
                  () ->
                      storage.transaction(
                          transaction -> {
                            transaction.put("a", 2);
                            transaction.put("b", 2);
                            throw new IOException("of the code");
                          }))
              .isInstanceOf(IOException.class)
              .hasMessage("of the code");
          assertThat(storage.get("a", Long.class)).hasValue(1L);
          storage.put("c", 3);
          return null;
        });

    assertThat(contents()).containsOnlyKeys("a", "c");
    assertThat(host.created).hasValue(1);
  }

  @Test
  void rollbackTakesBackAndTheCodeGoesOn() throws Exception {
    use(
        storage ->
            storage.transaction(
                transaction -> {
                  transaction.put("a", 1);
                  transaction.rollback();
                  transaction.rollback();
                  storage.put("b", 2);
                  return null;
                }));

    assertThat(contents()).containsOnlyKeys("b");
  }

  @Test
  void transactionThatWasRolledBackRefusesEverything() throws Exception {
    use(
        storage ->
            storage.transaction(
                transaction -> {
                  transaction.rollback();
                  assertRefused(
                      "Cannot get() on rolled back transaction",
                      () -> transaction.get("a", Long.class));
                  assertRefused(
                      "Cannot get() on rolled back transaction",
                      () -> transaction.get(List.of("a"), Long.class));
                  assertRefused(
                      "Cannot put() on rolled back transaction", () -> transaction.put("a", 1));
                  assertRefused(
                      "Cannot delete() on rolled back transaction", () -> transaction.delete("a"));
                  assertRefused(
                      "Cannot list() on rolled back transaction",
                      () -> transaction.list(Long.class));
                  assertRefused(
                      "Cannot list() on rolled back transaction",
                      () -> transaction.stream(ListOptions.ALL, Long.class));
                  return null;
                }));
  }

  @Test
  void transactionThatIsOverRefusesEverything() throws Exception {
    use(
        storage -> {
          StorageTransaction over = storage.transaction(transaction -> transaction);
          assertRefused(
              "Cannot call put() on transaction that has already committed",
              () -> over.put("a", 1));
          assertRefused(
              "Cannot call rollback() on transaction that has already committed", over::rollback);
          return null;
        });

    assertThat(contents()).isEmpty();
  }

  @Test
  void innerTransactionIsPartOfTheOuter() throws Exception {
    use(
        storage ->
            storage.transaction(
                outer -> {
                  outer.put("a", 1);
                  storage.transaction(
                      inner -> {
                        inner.put("b", 2);
                        assertThat(inner.get("a", Long.class)).hasValue(1L);
                        return null;
                      });
                  outer.rollback();
                  return null;
                }));
    assertThat(contents()).isEmpty();

    use(
        storage ->
            storage.transaction(
                outer -> {
                  outer.put("a", 1);
                  storage.transaction(
                      inner -> {
                        inner.put("a", 2);
                        inner.put("b", 2);
                        inner.rollback();
                        return null;
                      });
                  outer.put("c", 3);
                  return null;
                }));
    assertThat(contents()).isEqualTo(Map.of("a", 1L, "c", 3L));
  }

  @Test
  void outerTransactionCannotBeRolledBackWhileTheInnerRuns() throws Exception {
    String message =
        "Cannot roll back an outer transaction while a nested transaction is still running.";
    use(
        storage ->
            storage.transaction(
                outer -> {
                  outer.put("a", 1);
                  storage.transaction(
                      inner -> {
                        assertRefused(message, outer::rollback);
                        inner.put("b", 2);
                        return null;
                      });
                  storage.transactionSync(
                      () -> {
                        assertRefused(message, outer::rollback);
                        return null;
                      });
                  return null;
                }));

    assertThat(contents()).containsOnlyKeys("a", "b");
  }

  @Test
  void deleteAllIsRefusedInsideATransactionAndLeavesIt() throws Exception {
    use(
        storage -> {
          storage.put("a", 1);
          return storage.transaction(
              transaction -> {
                assertRefused("Cannot call deleteAll() within a transaction", storage::deleteAll);
                transaction.put("b", 2);
                return null;
              });
        });

    assertThat(contents()).containsOnlyKeys("a", "b");
  }

  @Test
  void limitsHoldInsideATransaction() throws Exception {
    use(
        storage ->
            storage.transaction(
                transaction -> {
                  transaction.put("a", 1);
                  assertThatThrownBy(() -> transaction.put("k".repeat(2_049), 1))
                      .isInstanceOf(StorageLimitException.class);
                  assertThatThrownBy(() -> transaction.put("big", "v".repeat(131_104)))
                      .isInstanceOf(StorageLimitException.class);
                  return null;
                }));

    assertThat(contents()).containsOnlyKeys("a");
  }

  @Test
  void otherEventsAreHeldWhileATransactionWaits() throws Exception {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    RunningCall transaction =
        host.start(
            "a",
            (_, context) ->
                context
                    .storage()
                    .transaction(
                        txn -> {
                          txn.put("n", 1);
                          context.await(stage);
                          txn.put("n", 2);
                          return null;
                        }));
    transaction.awaitParked();
    RunningCall other =
        host.start("a", (_, context) -> context.storage().get("n", Long.class).orElse(0L))
            .awaitParked();
    assertThat(host.journal.lastPosition()).isZero();
    stage.complete(null);
    transaction.get();

    assertThat(other.get()).isEqualTo(2L);
    assertThat(host.journal.lastPosition()).isEqualTo(1);
  }

  @Test
  void rollbackTakesBackWhatWasWrittenBeforeAWait() throws Exception {
    host.call(
        "a",
        (_, context) ->
            context
                .storage()
                .transaction(
                    transaction -> {
                      transaction.put("a", 1);
                      context.call(() -> events.add("outside"));
                      context.await(context.async(() -> put(context.storage(), "task")));
                      transaction.put("b", 1);
                      transaction.rollback();
                      return null;
                    }));

    assertThat(events).containsExactly("outside");
    assertThat(contents()).isEmpty();
    assertThat(host.journal.lastPosition()).isZero();
  }

  private static Object put(ObjectStorage storage, String key) {
    storage.put(key, 1);
    return key;
  }

  @Test
  void whatWasWrittenBeforeIsABatchOfItsOwn() throws Exception {
    use(
        storage -> {
          storage.put("before", 1);
          storage.transaction(transaction -> put(storage, "inside"));
          storage.put("after", 1);
          return null;
        });

    assertThat(host.journal.lastPosition()).isEqualTo(3);
  }

  @Test
  void resetInsideATransactionTakesItBack() throws Exception {
    use(storage -> put(storage, "before"));
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) ->
                        context
                            .storage()
                            .transaction(
                                transaction -> {
                                  transaction.put("a", 2);
                                  throw context.abort("in the transaction");
                                })))
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("in the transaction");

    assertThat(contents()).containsOnlyKeys("before");
  }

  @Test
  void transactionThatTakesTooLongResetsTheObject() throws Exception {
    CompletableFuture<Void> never = new CompletableFuture<>();
    RunningCall call =
        host.start(
            "a",
            (_, context) ->
                context
                    .storage()
                    .transaction(
                        transaction -> {
                          transaction.put("a", 1);
                          return context.await(never);
                        }));
    call.awaitParked();
    host.clock.advance(Duration.ofSeconds(31));

    assertThat(call.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("took longer than");
    assertThat(contents()).isEmpty();
  }

  @Test
  void failedCommitOfATransactionResetsTheObject() throws Exception {
    host.backend.failNext(Operation.SEAL, host.key("a"));

    assertThatThrownBy(() -> use(storage -> storage.transaction(_ -> put(storage, "a"))))
        .isInstanceOf(InstanceResetException.class);
    assertThat(contents()).isEmpty();
  }

  @Test
  void transactionsNestAsDeepAsSections() throws Exception {
    assertThatThrownBy(() -> use(storage -> nest(storage, 65)))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("transaction() calls are nested too deeply");
    assertThat(contents()).isEmpty();
    use(storage -> nest(storage, 64));
    assertThat(contents()).hasSize(64);
    assertThat(host.created).hasValue(1);
  }

  private static Object nest(ObjectStorage storage, int levels) {
    return levels == 0
        ? "bottom"
        : storage.transaction(
            transaction -> {
              transaction.put("level" + levels, levels);
              return nest(storage, levels - 1);
            });
  }

  @Test
  void syncTransactionIsPartOfItsTurn() throws Exception {
    use(
        storage -> {
          storage.put("before", 1);
          storage.transactionSync(() -> put(storage, "inside"));
          assertThatThrownBy(
                  () ->
                      storage.transactionSync(
                          () -> {
                            storage.put("inside", 2);
                            throw new IllegalArgumentException("taken back");
                          }))
              .hasMessage("taken back");
          return null;
        });

    assertThat(contents()).isEqualTo(Map.of("before", 1L, "inside", 1L));
    assertThat(host.journal.lastPosition()).isEqualTo(1);
  }

  @Test
  void syncTransactionsNest() throws Exception {
    use(
        storage ->
            storage.transactionSync(
                () -> {
                  storage.put("a", 1);
                  assertThatThrownBy(
                          () ->
                              storage.transactionSync(
                                  () -> {
                                    storage.put("a", 2);
                                    throw new IllegalArgumentException();
                                  }))
                      .isInstanceOf(IllegalArgumentException.class);
                  storage.transactionSync(() -> put(storage, "b"));
                  storage.transaction(
                      transaction -> {
                        transaction.put("c", 1);
                        transaction.rollback();
                        return null;
                      });
                  return null;
                }));

    assertThat(contents()).isEqualTo(Map.of("a", 1L, "b", 1L));
  }

  @Test
  void deleteAllInsideASyncTransactionIsTakenBack() throws Exception {
    use(
        storage -> {
          storage.put("a", 1);
          assertThatThrownBy(
                  () ->
                      storage.transactionSync(
                          () -> {
                            storage.deleteAll();
                            throw new IllegalArgumentException();
                          }))
              .isInstanceOf(IllegalArgumentException.class);
          assertThat(storage.get("a", Long.class)).isPresent();
          storage.transactionSync(
              () -> {
                storage.deleteAll();
                return put(storage, "b");
              });
          return null;
        });

    assertThat(contents()).containsOnlyKeys("b");
  }

  @Test
  void waitInsideASyncTransactionIsRefusedAndTheTransactionGoesOn() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          ObjectStorage storage = context.storage();
          return storage.transactionSync(
              () -> {
                storage.put("a", 1);
                CompletableFuture<Object> stage = CompletableFuture.completedFuture(1);
                assertThatThrownBy(() -> context.await(stage))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining("transactionSync() must not wait");
                assertThatThrownBy(() -> context.call(() -> events.add("outside")))
                    .isInstanceOf(MisuseException.class);
                assertThatThrownBy(storage::sync).isInstanceOf(MisuseException.class);
                assertThatThrownBy(() -> context.blockConcurrencyWhile(() -> events.add("section")))
                    .isInstanceOf(MisuseException.class);
                assertThatThrownBy(() -> host.call("b", (_, _) -> events.add("other object")))
                    .isInstanceOf(MisuseException.class);
                return null;
              });
        });

    assertThat(events).isEmpty();
    assertThat(contents()).containsOnlyKeys("a");
  }
}
