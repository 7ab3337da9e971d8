package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.SqlException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryBackend.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class InMemoryBackendTest {

  private static final byte[] KEY = {1};
  private static final byte[] VALUE = {42};

  private final InMemoryJournal journal = new InMemoryJournal();
  private final InMemoryBackend backend = new InMemoryBackend(journal);
  private final ObjectKey key = Records.object(1);
  private final ObjectStore store = backend.store(key);

  @Test
  void secondOpenTurnOfAnObjectIsRefused() {
    StoreTurn turn = store.beginTurn();

    assertThatIllegalStateException().isThrownBy(() -> backend.store(key).beginTurn());

    turn.discard();
    backend.store(key).beginTurn().discard();
    assertThat(backend.openTurnCount()).isZero();
  }

  @Test
  void releasedStoreBeginsNoTurn() {
    store.release();

    assertThatIllegalStateException().isThrownBy(store::beginTurn);
  }

  @Test
  void turnThatHasEndedIsRefused() {
    StoreTurn turn = store.beginTurn();
    turn.seal();

    assertThatIllegalStateException().isThrownBy(() -> turn.get(KEY));
    assertThatIllegalStateException().isThrownBy(turn::seal);
    assertThatIllegalStateException().isThrownBy(turn::discard);
  }

  @Test
  void turnOfAnotherThreadIsRefused() {
    StoreTurn turn = store.beginTurn();

    CompletableFuture<byte @Nullable []> foreign =
        CompletableFuture.supplyAsync(() -> turn.get(KEY));

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(foreign::join)
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void faultSetOnceHappensOnceAndToOneObjectOnly() {
    backend.failNext(Operation.GET, key);
    StoreTurn other = backend.store(Records.object(2)).beginTurn();
    StoreTurn turn = store.beginTurn();

    assertThat(other.get(KEY)).isNull();
    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(() -> turn.get(KEY))
        .withMessageContaining("GET")
        .withMessageContaining(key.toString());
    assertThat(turn.get(KEY)).isNull();
  }

  @Test
  void lastingFaultEndsWhenHealed() {
    backend.failFrom(Operation.BEGIN_TURN, key);
    assertThatExceptionOfType(StorageFailedException.class).isThrownBy(store::beginTurn);
    assertThatExceptionOfType(StorageFailedException.class).isThrownBy(store::beginTurn);

    backend.heal();

    store.beginTurn().discard();
  }

  @Test
  void failedSealUndoesTheTurnAndAppendsNothing() {
    backend.failNext(Operation.SEAL, key);
    StoreTurn turn = store.beginTurn();
    turn.put(KEY, VALUE);

    assertThatExceptionOfType(StorageFailedException.class).isThrownBy(turn::seal);
    turn.discard();

    assertThat(journal.lastPosition()).isZero();
    assertThat(store.beginTurn().get(KEY)).isNull();
  }

  @Test
  void objectWithoutDataLeavesNoTrace() {
    StoreTurn first = store.beginTurn();
    first.put(KEY, VALUE);
    first.seal();
    assertThat(backend.objectCount()).isEqualTo(1);

    StoreTurn second = store.beginTurn();
    second.deleteAll();
    second.seal();

    assertThat(backend.objectCount()).isZero();
  }

  @Test
  void sqlIsRefusedWithAdvice() {
    StoreTurn turn = store.beginTurn();

    assertThatExceptionOfType(SqlException.class)
        .isThrownBy(() -> turn.exec("SELECT 1", new Object[0]))
        .withMessageContaining("has no SQL");
    assertThatExceptionOfType(SqlException.class).isThrownBy(turn::databaseSize);
  }
}
