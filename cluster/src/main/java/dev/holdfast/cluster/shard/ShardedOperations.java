package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.shard.EveryShard.Gathered;
import dev.holdfast.cluster.shard.EveryShard.Sentences;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.PageCursors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations for operators over all shards. A request is for the shard of the object that it
 * names, or the shard that it names, or all shards, whose answers are merged. Thread-safe.
 */
public final class ShardedOperations implements OperatorService {

  /** The argument that says how many bytes of answers the asker takes of a shard. */
  public static final String BYTES_MAX = "bytesMax";

  /** What is kept of all shards until it can be merged. */
  private static final long ALL_BYTES_MAX = 32L << 20;

  /** Is in the sentence of a shard whose answers do not all fit into a message. */
  public static final String LEFT_OUT = " further answers are left out";

  /** How a shard begins the sentence that a list goes on. */
  private static final String MORE = "There are more ";

  /** How many answers a list of the first ones has, unless the request says it. */
  private static final long FIRST_DEFAULT = 20;

  private final EveryShard every;
  private final InShard inShard;

  /** Performs an operation in one shard. */
  @FunctionalInterface
  public interface InShard {

    /**
     * Performs an operation. Blocks until all answers are given.
     *
     * @param shard the number of the shard
     * @param request the operation
     * @param answers receives the answers
     * @return a sentence for a person; null if there is none
     * @throws OperatorException if the request is wrong, or the operation fails
     */
    @Nullable String perform(int shard, OperatorRequest request, Answers answers);
  }

  /**
   * Creates the operations.
   *
   * @param every asks all shards
   * @param inShard performs an operation in one shard
   */
  public ShardedOperations(EveryShard every, InShard inShard) {
    this.every = every;
    this.inShard = inShard;
  }

  /** The place of an answer among those of all shards. */
  private record Place(long number, String text) implements Comparable<Place> {

    private static final Comparator<Place> ORDER =
        Comparator.comparingLong(Place::number).thenComparing(Place::text);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }

  /** An answer and its place. */
  private record Placed(Map<String, @Nullable Object> answer, Place place) {}

  /** What one shard has answered. */
  private record Answered(List<Map<String, @Nullable Object>> answers, @Nullable String note) {}

  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    Object namespace = request.arguments().get("namespace");
    Object object = request.arguments().get("object");
    if (namespace instanceof String in && object instanceof String named) {
      int shard = shardOf(in, named);
      requireHere(request, in, shard);
      return inShard.perform(shard, request, answers);
    }
    if (request.arguments().get("shard") != null) {
      long shard = request.number("shard", 0);
      if (shard < 0 || shard >= every.count()) {
        throw wrong("There is no shard " + shard + "; they are 0 to " + (every.count() - 1) + ".");
      }
      return inShard.perform(
          (int) shard, request, answer -> answers.add(inShard((int) shard, answer)));
    }
    return performInAll(request, answers);
  }

  private static OperatorException wrong(String why) {
    return new OperatorException(Reason.WRONG_REQUEST, why);
  }

  private int shardOf(String namespace, String object) {
    try {
      return new ShardMap(every.count()).shardOf(EngineBuilder.idOf(namespace, object));
    } catch (InvalidObjectIdException e) {
      throw new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e);
    }
  }

  /** The runtime of a shard would make the new object where nobody looks for it. */
  private void requireHere(OperatorRequest request, String namespace, int shard) {
    if (request.verb().equals("fork") && !request.isSet("near")) {
      int target = shardOf(namespace, request.text("name"));
      if (target != shard) {
        throw new OperatorException(
            Reason.FAILED,
            "The object \""
                + request.text("name")
                + "\" would be in shard "
                + target
                + ", and a fork stays in the shard of its origin, "
                + shard
                + ". Fork it near its origin, with --near, or export the object and import it.");
      }
    }
  }

  private @Nullable String performInAll(OperatorRequest request, Answers answers) {
    Function<Map<?, ?>, Place> order = order(request);
    if (order == null && request.arguments().get("after") != null) {
      throw wrong("This list goes on in one shard: name it with the argument shard.");
    }
    OperatorRequest part = request.with(BYTES_MAX, ALL_BYTES_MAX / every.count());
    Gathered<Answered> gathered =
        every.ask(
            request,
            shard -> {
              List<Map<String, @Nullable Object>> taken = new ArrayList<>();
              String note =
                  inShard.perform(shard, part, answer -> taken.add(inShard(shard, answer)));
              return new Answered(taken, note);
            });
    if (order == null) {
      gathered
          .byShard()
          .forEach(
              (shard, answered) -> {
                answered.answers().forEach(answers::add);
                gathered.sentences().add(shard, answered.note());
              });
      return gathered.sentences().text(every.count());
    }
    return merge(request, gathered, order, answers);
  }

  private @Nullable String merge(
      OperatorRequest request,
      Gathered<Answered> gathered,
      Function<Map<?, ?>, Place> order,
      Answers answers) {
    List<Placed> all = new ArrayList<>();
    Sentences sentences = gathered.sentences();
    boolean isOfFirst = request.verb().equals("busiest") || request.verb().equals("writers");
    long limit = request.number("limit", isOfFirst ? FIRST_DEFAULT : 0);
    List<Place> ends = new ArrayList<>();
    for (Map.Entry<Integer, Answered> each : gathered.byShard().entrySet()) {
      String note = each.getValue().note();
      boolean isPart =
          note != null
              && !isOfFirst
              && limit > 0
              && (note.startsWith(MORE) || note.contains(LEFT_OUT));
      if (!isPart) { // else it says where that shard goes on
        sentences.add(each.getKey(), note);
      }
      for (Map<String, @Nullable Object> answer : each.getValue().answers()) {
        all.add(new Placed(answer, order.apply(answer)));
      }
      if (isPart && !all.isEmpty()) {
        ends.add(all.getLast().place());
      }
    }
    // After the last answer of a part there are others of that shard: the next page has them.
    ends.stream()
        .min(Comparator.naturalOrder())
        .ifPresent(end -> all.removeIf(each -> each.place().compareTo(end) > 0));
    boolean isMore = !ends.isEmpty();
    all.sort(Comparator.comparing(Placed::place));
    List<Placed> shown = limit <= 0 || all.size() <= limit ? all : all.subList(0, (int) limit);
    shown.forEach(each -> answers.add(each.answer()));
    String others = sentences.text(every.count());
    if (isOfFirst || (!isMore && shown.size() == all.size())) {
      return others;
    }
    Object cursor = shown.isEmpty() ? null : shown.getLast().answer().get("cursor");
    String more =
        MORE
            + request.verb()
            + (cursor == null ? "." : "; continue with --after '" + cursor + "'.");
    return others == null ? more : more + " " + others;
  }

  /**
   * {@return the order of the answers, which is that of one shard; null if those of one shard come
   * after those of the other}
   */
  private static @Nullable Function<Map<?, ?>, Place> order(OperatorRequest request) {
    return switch (request.verb()) {
      case "objects" -> answer -> new Place(0, answer.get("namespace") + "\0" + listed(answer));
      case "busiest" -> answer -> new Place(-number(answer, "value"), "");
      case "writers" -> answer -> new Place(-number(answer, "bytes"), "");
      case "executions" -> answer -> new Place(-number(answer, "seconds"), "");
      case "alarms" ->
          request.arguments().get("limit") == null
              ? null
              : answer -> new Place(due(answer), answer.get("namespace") + "\0" + answer.get("id"));
      default -> null;
    };
  }

  private static String listed(Map<?, ?> answer) {
    byte[] id = HexFormat.of().parseHex(String.valueOf(answer.get("id")));
    return PageCursors.after(ObjectId.of(id, (String) answer.get("name")));
  }

  private static long number(Map<?, ?> answer, String member) {
    return answer.get(member) instanceof Number number ? number.longValue() : 0;
  }

  private static long due(Map<?, ?> answer) {
    return answer.get("due") instanceof String due ? Instant.parse(due).toEpochMilli() : 0;
  }

  private static Map<String, @Nullable Object> inShard(
      int shard, Map<String, @Nullable Object> answer) {
    Map<String, @Nullable Object> with = new LinkedHashMap<>();
    with.put("shard", shard);
    with.putAll(answer);
    return with;
  }
}
