package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the operations for operators. A page waits for a bounded time and takes a bounded number of
 * answers: an object whose turn does not end holds up one line of one page. Thread-safe.
 */
public final class Source implements AutoCloseable {

  /** Says to a node how long it may wait for the others. */
  private static final String WITHIN = "within";

  /** How the sentence begins that a list goes on. */
  private static final String MORE = "There are more ";

  /** The status of a page whose request the runtime does not know. */
  private static final int WRONG_REQUEST = 400;

  /** How many operations run at once, also those that no page waits for any more. */
  private static final int RUNNING_MAX = 16;

  private final OperatorService operations;
  private final Duration patience;
  private final ExecutorService threads;
  private final Semaphore room;
  private volatile @Nullable Boolean isNode;

  /**
   * Creates a source.
   *
   * @param operations performs requests
   * @param patience how long a page waits for one
   */
  public Source(OperatorService operations, Duration patience) {
    this(
        operations,
        patience,
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("holdfast-console-", 0).factory()),
        new Semaphore(RUNNING_MAX));
  }

  private Source(
      OperatorService operations, Duration patience, ExecutorService threads, Semaphore room) {
    this.operations = operations;
    this.patience = patience;
    this.threads = threads;
    this.room = room;
  }

  /**
   * {@return a source that asks one shard of a cluster for what names no object}
   *
   * @param shard the number of the shard
   */
  public Source inShard(long shard) {
    return new Source(
        (request, answers) -> operations.perform(request.with("shard", shard), answers),
        patience,
        threads,
        room);
  }

  /** {@return whether a node of a cluster is asked} */
  public boolean isNode() {
    Boolean known = isNode;
    if (known == null) {
      try {
        known = !ask(OperatorRequest.of("cluster-status"), 1).answers().isEmpty();
      } catch (PageException e) {
        if (e.status() != WRONG_REQUEST) {
          return false; // it is asked again
        }
        known = false;
      }
      isNode = known;
    }
    return known;
  }

  /**
   * What an operation has answered.
   *
   * @param answers the first ones
   * @param note a sentence for a person; null if there is none
   * @param isCut whether there were more answers than the page takes
   */
  public record Result(
      List<Map<String, @Nullable Object>> answers, @Nullable String note, boolean isCut) {

    /** {@return whether the list goes on} */
    public boolean isMore() {
      return note != null && note.startsWith(MORE);
    }

    /** {@return what shards of a cluster say that is missing here; null if nothing is} */
    public @Nullable String missing() {
      int from = note == null ? -1 : note.indexOf("Shard");
      return note == null || from < 0 ? null : note.substring(from);
    }

    /**
     * {@return the only answer}
     *
     * @throws PageException if there is none
     */
    public Map<String, @Nullable Object> one() {
      if (answers.isEmpty()) {
        throw new PageException(404, "There is no answer to this question.");
      }
      return answers.getFirst();
    }
  }

  /**
   * Asks.
   *
   * @param request what is asked
   * @param max how many answers are taken
   * @return the answers
   * @throws PageException if the operation fails, takes longer than the page waits, or too many run
   */
  public Result ask(OperatorRequest request, int max) {
    return ask(request, max, patience);
  }

  /**
   * Asks what may take longer than a page waits.
   *
   * @param request what is asked
   * @param max how many answers are taken
   * @param wait how long it may take
   * @return the answers
   * @throws PageException if the operation fails, or takes longer
   */
  public Result ask(OperatorRequest request, int max, Duration wait) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    boolean[] isCut = {false};
    FutureTask<@Nullable String> asked =
        new FutureTask<>(
            () ->
                operations.perform(
                    request.with(WITHIN, patience.toMillis() * 4 / 5),
                    answer -> {
                      if (answers.size() < max) {
                        answers.add(answer);
                      } else {
                        isCut[0] = true;
                      }
                    }));
    if (!room.tryAcquire()) {
      throw new PageException(503, "The console reads too many pages at once; this one waits.");
    }
    threads.execute(
        () -> {
          try {
            asked.run();
          } finally {
            room.release();
          }
        });
    try {
      String note = asked.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      return new Result(List.copyOf(answers), note, isCut[0]);
    } catch (TimeoutException e) {
      asked.cancel(true);
      throw new PageException(
          504,
          "The runtime did not answer within "
              + wait.toSeconds()
              + " s. The object may be busy: look at what runs.");
    } catch (InterruptedException e) {
      asked.cancel(true);
      Thread.currentThread().interrupt();
      throw new PageException(503, "The console is being closed.");
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    }
  }

  private static PageException failed(@Nullable Throwable cause) {
    return switch (cause) {
      case OperatorException refused ->
          switch (refused.reason()) {
            case WRONG_REQUEST -> new PageException(400, String.valueOf(refused.getMessage()));
            case FAILED -> new PageException(409, String.valueOf(refused.getMessage()));
            case UNAVAILABLE ->
                new PageException(
                    503, refused.getMessage() + " This page is shown once it answers again.");
          };
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> throw new IllegalStateException(cause);
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
