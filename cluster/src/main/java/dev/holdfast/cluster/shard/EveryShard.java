package dev.holdfast.cluster.shard;

import dev.holdfast.HoldfastException;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Asks all shards at once. One that does not answer keeps no other one away: it becomes a sentence.
 * Thread-safe.
 */
public final class EveryShard {

  /** The argument that says how long the asker waits, in milliseconds. */
  private static final String WITHIN = "within";

  private final int shards;
  private final boolean mayLack;
  private final IntFunction<@Nullable String> missing;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("holdfast-operator-", 0).factory());

  /**
   * Creates it.
   *
   * @param shards the number of shards
   * @param mayLack whether the failure of a shard is no news if another one answers: that it has
   *     nothing of a namespace
   * @param missing says why a shard cannot be asked now; null if it can
   */
  public EveryShard(int shards, boolean mayLack, IntFunction<@Nullable String> missing) {
    this.shards = shards;
    this.mayLack = mayLack;
    this.missing = missing;
  }

  /** {@return the number of shards} */
  int count() {
    return shards;
  }

  /**
   * What the shards have answered.
   *
   * @param <T> an answer
   * @param byShard by the numbers of the shards that have answered
   * @param sentences why others have not, and what the shards say to a person
   */
  public record Gathered<T>(Map<Integer, T> byShard, Sentences sentences) {}

  /** Sentences of shards. Confined to one thread. */
  public static final class Sentences {

    private final Map<String, List<Integer>> shardsByText = new LinkedHashMap<>();

    private Sentences() {}

    void add(int shard, @Nullable String text) {
      if (text != null) {
        shardsByText.computeIfAbsent(text, _ -> new ArrayList<>()).add(shard);
      }
    }

    /**
     * {@return all; null if there is none. What all shards say is said once}
     *
     * @param shards the number of shards
     */
    public @Nullable String text(int shards) {
      StringJoiner all = new StringJoiner(" ");
      shardsByText.forEach(
          (text, of) ->
              all.add(
                  of.size() == shards
                      ? text
                      : (of.size() == 1 ? "Shard " : "Shards ")
                          + String.join(", ", of.stream().map(String::valueOf).toList())
                          + ": "
                          + text));
      return shardsByText.isEmpty() ? null : all.toString();
    }
  }

  /**
   * Asks all shards.
   *
   * @param <T> an answer
   * @param request may have the time that the asker waits
   * @param one asks one shard, by its number
   * @return the answers, at least one
   * @throws OperatorException if a shard finds the request wrong, or none answers
   */
  public <T> Gathered<T> ask(OperatorRequest request, IntFunction<T> one) {
    List<Callable<T>> tasks = new ArrayList<>();
    List<Integer> asked = new ArrayList<>();
    Gathered<T> gathered = new Gathered<>(new LinkedHashMap<>(), new Sentences());
    for (int shard = 0; shard < shards; shard++) {
      int number = shard;
      String why = missing.apply(shard);
      if (why == null) {
        asked.add(shard);
        tasks.add(() -> one.apply(number));
      } else {
        gathered.sentences().add(shard, why);
      }
    }
    Sentences failures = new Sentences();
    long within = request.number(WITHIN, 0);
    try {
      List<Future<T>> ended =
          within > 0
              ? threads.invokeAll(tasks, within, TimeUnit.MILLISECONDS)
              : threads.invokeAll(tasks);
      for (int each = 0; each < ended.size(); each++) {
        take(
            asked.get(each),
            ended.get(each),
            within,
            gathered,
            mayLack ? failures : gathered.sentences());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(Reason.FAILED, "Nobody waits for the answer any more.", e);
    }
    if (gathered.byShard().isEmpty()) {
      String why = (mayLack ? failures : gathered.sentences()).text(shards);
      throw new OperatorException(Reason.FAILED, why == null ? "No shard can be asked." : why);
    }
    return gathered;
  }

  private static <T> void take(
      int shard, Future<T> ended, long within, Gathered<T> gathered, Sentences failures)
      throws InterruptedException {
    try {
      gathered.byShard().put(shard, ended.get());
    } catch (CancellationException e) {
      failures.add(
          shard,
          "No answer within " + within + " ms; a change that was asked for may still be made.");
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case OperatorException wrong when wrong.reason() == Reason.WRONG_REQUEST -> throw wrong;
        case HoldfastException failed -> failures.add(shard, String.valueOf(failed.getMessage()));
        case RuntimeException failed -> failures.add(shard, failed.toString());
        case null, default ->
            throw new IllegalStateException("Shard " + shard + " could not be asked.", e);
      }
    }
  }
}
