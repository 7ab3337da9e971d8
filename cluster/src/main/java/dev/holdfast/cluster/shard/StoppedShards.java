package dev.holdfast.cluster.shard;

import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.journal.shard.ShardDirectories;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.runtime.EngineBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operations on a node that does not run: those about an object are performed on its shard, all
 * others on one shard after the other. Thread-safe, as the operations on the shards are.
 */
public final class StoppedShards implements OperatorService {

  private final List<@Nullable OperatorService> shards;

  /**
   * Creates the service.
   *
   * @param shards the operations on each shard; null for one that the node has no copy of
   */
  public StoppedShards(List<@Nullable OperatorService> shards) {
    this.shards = shards;
  }

  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    Object namespace = request.arguments().get("namespace");
    Object object = request.arguments().get("object");
    return namespace instanceof String in && object instanceof String named
        ? performInOne(shardOf(in, named), request, answers)
        : performInAll(request, answers);
  }

  private int shardOf(String namespace, String object) {
    try {
      return ShardDirectories.shardOf(EngineBuilder.idOf(namespace, object), shards.size());
    } catch (InvalidObjectIdException e) {
      throw new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable String performInOne(int shard, OperatorRequest request, Answers answers) {
    OperatorService found = shards.get(shard);
    if (found == null) {
      throw new OperatorException(
          Reason.FAILED,
          "The object is in shard " + shard + ", and this node has no copy of it. Ask another.");
    }
    return found.perform(request, answers);
  }

  /** A namespace may have objects in some shards only. */
  private @Nullable String performInAll(OperatorRequest request, Answers answers) {
    OperatorException failure = null;
    boolean isDone = false;
    String note = null;
    for (int shard = 0; shard < shards.size(); shard++) {
      OperatorService found = shards.get(shard);
      if (found != null) {
        int number = shard;
        try {
          note = found.perform(request, answer -> answers.add(inShard(number, answer)));
          isDone = true;
        } catch (OperatorException e) {
          if (e.reason() != Reason.FAILED) {
            throw e;
          }
          failure = e;
        }
      }
    }
    if (!isDone && failure != null) {
      throw failure;
    }
    return note;
  }

  private static Map<String, @Nullable Object> inShard(
      int shard, Map<String, @Nullable Object> answer) {
    Map<String, @Nullable Object> with = new LinkedHashMap<>();
    with.put("shard", shard);
    with.putAll(answer);
    return with;
  }
}
