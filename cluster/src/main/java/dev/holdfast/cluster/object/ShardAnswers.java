package dev.holdfast.cluster.object;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.shard.ShardedOperations;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operation for operators has answered at another node. Requests and answers are maps in
 * the format of stored values, as on the operator's socket. Immutable, but for the arrays.
 *
 * @param answers the answers
 * @param note a sentence for a person; null if there is none
 */
public record ShardAnswers(List<byte[]> answers, @Nullable String note) {

  /** What the answers may hold together, if a request does not say less: half a frame. */
  private static final long BYTES_MAX = 32L << 20;

  private static final StructuredClone CODEC = StructuredClone.standard();

  /** Copies the list. */
  public ShardAnswers {
    answers = List.copyOf(answers);
  }

  /** {@return a request as bytes} */
  static byte[] write(OperatorRequest request) {
    return CODEC.encode(Map.of("verb", request.verb(), "arguments", request.arguments()));
  }

  /** {@return a request that another node has sent} */
  static OperatorRequest read(byte[] request) {
    Map<String, @Nullable Object> message = members(request);
    if (message.get("verb") instanceof String verb
        && message.get("arguments") instanceof Map<?, ?> arguments) {
      OperatorRequest read = OperatorRequest.of(verb);
      for (Map.Entry<?, ?> each : arguments.entrySet()) {
        read = read.with(String.valueOf(each.getKey()), each.getValue());
      }
      return read;
    }
    throw new OperatorException(Reason.WRONG_REQUEST, "Another node has sent no request.");
  }

  /**
   * {@return one answer as bytes}
   *
   * @param answer the answer
   */
  public static byte[] write(Map<String, @Nullable Object> answer) {
    return CODEC.encode(answer);
  }

  /**
   * {@return an answer}
   *
   * @param answer its bytes
   */
  public static Map<String, @Nullable Object> members(byte[] answer) {
    return CODEC.decode(answer) instanceof Map<?, ?> members ? named(members) : Map.of();
  }

  private static Map<String, @Nullable Object> named(Map<?, ?> members) {
    Map<String, @Nullable Object> named = new LinkedHashMap<>();
    members.forEach((name, value) -> named.put(String.valueOf(name), value));
    return named;
  }

  /**
   * {@return these answers as the result of a call; a record of ours is opened to no other module}
   */
  byte[] toBytes() {
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put("answers", answers);
    message.put("note", note);
    return CODEC.encode(message);
  }

  /** {@return the answers that another node has sent} */
  static ShardAnswers of(byte[] result) {
    Map<String, @Nullable Object> message = members(result);
    List<byte[]> answers = new ArrayList<>();
    if (message.get("answers") instanceof List<?> written) {
      written.forEach(each -> answers.add((byte[]) each));
    }
    return new ShardAnswers(answers, (String) message.get("note"));
  }

  /** Passes the answers on. */
  void passTo(Answers receiver) {
    answers.forEach(each -> receiver.add(members(each)));
  }

  /** Takes the answers of an operation as far as there is room. Confined to one thread. */
  static final class Taken implements Answers {

    private final List<byte[]> answers = new ArrayList<>();
    private final long bytesMax;
    private long bytes;
    private long left;

    Taken(OperatorRequest request) {
      bytesMax = Math.clamp(request.number(ShardedOperations.BYTES_MAX, BYTES_MAX), 1, BYTES_MAX);
    }

    @Override
    public void add(Map<String, @Nullable Object> answer) {
      if (left > 0 || bytes > bytesMax) {
        left++; // the operation goes on: it may change something
        return;
      }
      byte[] written = write(answer);
      bytes += written.length;
      answers.add(written);
    }

    ShardAnswers end(@Nullable String note) {
      String all = note;
      if (left > 0) {
        String cut =
            left
                + ShardedOperations.LEFT_OUT
                + ", because they do not fit into a message between nodes. Ask for a part, as with"
                + " a prefix, a limit, other positions or one shard.";
        all = note == null ? cut : note + " " + cut;
      }
      return new ShardAnswers(answers, all);
    }
  }
}
