package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectStub;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that come in the moment in which their owner closes the objects. */
@Timeout(120)
class ClosedObjectsTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** Records calls. */
  public interface Book {

    /** Records a call. */
    void write(String call);
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  /** Ends the call "slow". */
  private static final CompletableFuture<Void> slow = new CompletableFuture<>();

  private static final Queue<String> written = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void open() throws Exception {
    nodes =
        ThreeNodes.open(
            directory,
            1,
            objects -> objects.namespace("books", Book.class, _ -> (Book) ClosedObjectsTest::add));
  }

  private static void add(String call) {
    written.add(call);
    if (call.equals("slow")) {
      slow.join();
    }
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  @BeforeEach
  void moveToB() {
    nodes.move(0, "b");
    book("b", false).blocking().write("waits until the new owner has opened the objects");
    written.clear();
  }

  private static ClusterNode node(String name) {
    return (ClusterNode) nodes.get(name);
  }

  private static ObjectStub<Book> book(String node, boolean isTimed) {
    ObjectStub<Book> book = node(node).namespace("books", Book.class).stub("log");
    return isTimed ? book.withTimeout(LONG) : book;
  }

  @Test
  void otherObjectsTakeCallsWhileAMoveWaitsForASlowOne() throws Exception {
    Book slowBook = node("a").namespace("books", Book.class).getByName("slow");
    CompletableFuture<Void> slowCall = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              slowBook.write("slow");
              slowCall.complete(null);
            });
    while (written.isEmpty()) {
      Polling.pause();
    }

    CompletableFuture<NodeId> move = node("b").shard(0).moveTo(new NodeId("c"));
    while (!node("b").shard(0).isMoveUnderWay()) {
      Thread.onSpinWait();
    }
    for (String caller : List.of("a", "b")) {
      book(caller, false).blocking().write(caller);
    }

    assertThat(written).containsExactly("slow", "a", "b");
    assertThat(move).isNotDone();
    assertThat(node("b").shard(0).openObjects()).isNotNull();
    slow.complete(null);
    slowCall.get();
    assertThat(move.get()).isEqualTo(new NodeId("c"));
  }

  @ParameterizedTest
  @CsvSource({
    "a, false, false",
    "a, true, false",
    "a, false, true",
    "b, false, false",
    "b, true, false",
    "b, false, true",
    "b, true, true"
  })
  void callIsMadeOnceAtTheNextOwner(String caller, boolean isTimed, boolean isAsync)
      throws Exception {
    NodeShard shard = node("b").shard(0);
    Objects.requireNonNull(shard.openObjects())
        .runtime()
        .close(); // as a move does, a moment after the call has looked for it
    CompletableFuture<Void> call = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    ObjectStub<Book> book = book(caller, isTimed);
                    if (isAsync) {
                      book.async(ClosedObjectsTest::write).join();
                    } else {
                      book.blocking().write("call");
                    }
                    call.complete(null);
                  } catch (RuntimeException | Error e) {
                    call.completeExceptionally(e);
                  }
                });
    while (thread.getState() == Thread.State.RUNNABLE || thread.getState() == Thread.State.NEW) {
      Polling.pause();
    }
    shard.moveTo(new NodeId("c")).join();

    call.join();
    assertThat(List.copyOf(written)).containsExactly("call");
  }

  private static @Nullable Void write(Book book) {
    book.write("call");
    return null;
  }
}
