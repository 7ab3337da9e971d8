package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.impl.ServerImplUtils;
import org.junit.jupiter.api.Test;

/** The chain of appends as Ratis keeps it, with its own class. */
final class FollowerAppendsTest {

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Object indices;
  private final Method append;
  private volatile boolean hasFailed;

  /** How often the log was asked to write. */
  private final AtomicInteger asked = new AtomicInteger();

  FollowerAppendsTest() throws ReflectiveOperationException {
    Class<?> type = Class.forName(ServerImplUtils.class.getName() + "$NavigableIndices");
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    indices = constructor.newInstance();
    append = type.getDeclaredMethod("append", List.class, Function.class);
    append.setAccessible(true);
    FollowerAppends.takeOver(indices, () -> hasFailed);
  }

  /**
   * Appends entries to the log as the server of a follower does.
   *
   * @param written what the log answers
   * @return what the leader gets
   */
  private CompletableFuture<?> append(long first, int count, CompletableFuture<Void> written)
      throws ReflectiveOperationException {
    List<LogEntryProto> entries =
        LongStream.range(first, first + count)
            .mapToObj(index -> LogEntryProto.newBuilder().setTerm(1).setIndex(index).build())
            .toList();
    Function<List<LogEntryProto>, CompletableFuture<Void>> log =
        _ -> {
          asked.incrementAndGet();
          return written;
        };
    CompletableFuture<?> appended = (CompletableFuture<?>) append.invoke(indices, entries, log);
    return appended.whenCompleteAsync((_, _) -> {}, Runnable::run);
  }

  @Test
  void appendsAreAcknowledgedWhenTheLogHasThem() throws Exception {
    CompletableFuture<Void> written = new CompletableFuture<>();
    CompletableFuture<?> first = append(5, 2, written);
    CompletableFuture<?> second = append(7, 1, DONE);

    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    written.complete(null);

    first.join();
    second.join();
  }

  @Test
  void moreEntriesFromTheSameIndexAreNotAcknowledgedWithTheFirstOnes() throws Exception {
    CompletableFuture<Void> written = new CompletableFuture<>();
    CompletableFuture<?> first = append(5, 2, written);
    CompletableFuture<?> again = append(5, 4, DONE);
    written.complete(null);

    first.join();
    assertThatThrownBy(again::join)
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("send them again");
    append(5, 4, DONE).join();
  }

  @Test
  void appendThatFailsFailsNoLaterOne() throws Exception {
    CompletableFuture<?> failed =
        append(5, 1, CompletableFuture.failedFuture(new IOException("planted")));
    assertThatThrownBy(failed::join).hasRootCauseInstanceOf(IOException.class);

    append(5, 1, DONE).join();
  }

  @Test
  void appendThatFollowsTheLogNoMoreWhenItIsItsTurnIsRefused() throws Exception {
    CompletableFuture<Void> written = new CompletableFuture<>();
    CompletableFuture<?> first = append(5, 1, written);
    AtomicBoolean follows = new AtomicBoolean(true);
    CompletableFuture<?> second = appendChecked(follows, 6, DONE);
    follows.set(false); // another leader has written meanwhile
    written.complete(null);

    first.join();
    assertThatThrownBy(second::join).hasMessageContaining("send it again");
    append(6, 1, DONE).join();
  }

  @Test
  void appendOfALeaderThatIsDeposedMeanwhileIsNotAcknowledged() throws Exception {
    CompletableFuture<Void> written = new CompletableFuture<>();
    AtomicBoolean follows = new AtomicBoolean(true);
    CompletableFuture<?> append = appendChecked(follows, 5, written);
    while (asked.get() == 0) {
      Thread.onSpinWait();
    }
    follows.set(false); // this member has voted for another one, whose log lacks the entry
    written.complete(null);

    assertThatThrownBy(append::join).hasMessageContaining("send it again");
  }

  private CompletableFuture<?> appendChecked(
      AtomicBoolean follows, long index, CompletableFuture<Void> written) {
    AtomicReference<CompletableFuture<?>> append = new AtomicReference<>();
    FollowerAppends.checkedBy(
        follows::get,
        () -> {
          try {
            append.set(append(index, 1, written));
          } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
          }
        });
    return append.get();
  }

  /** The entries that could not be written are in the memory of Ratis, so the log has them. */
  @Test
  void nothingIsAcknowledgedByALogThatHasFailed() throws Exception {
    CompletableFuture<Void> written = new CompletableFuture<>();
    CompletableFuture<?> failed = append(5, 1, written);
    CompletableFuture<?> next = append(6, 1, DONE);
    while (asked.get() == 0) {
      Thread.onSpinWait();
    }
    hasFailed = true;
    written.completeExceptionally(new IOException("planted"));

    assertThatThrownBy(failed::join).hasRootCauseInstanceOf(IOException.class);
    assertThatThrownBy(next::join).hasMessageContaining("cannot be written any more");
    CompletableFuture<?> again = append(5, 1, DONE);
    assertThatThrownBy(again::join).hasMessageContaining("cannot be written any more");
  }
}
