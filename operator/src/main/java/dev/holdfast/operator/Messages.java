package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of a connection: a request; then answers and one last message. */
final class Messages {

  private static final String VERB = "verb";
  private static final String ARGUMENTS = "arguments";
  private static final String ANSWER = "answer";
  private static final String END = "end";
  private static final String REASON = "reason";
  private static final String MESSAGE = "message";

  private Messages() {}

  static Map<String, @Nullable Object> of(OperatorRequest request) {
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put(VERB, request.verb());
    message.put(ARGUMENTS, request.arguments());
    return message;
  }

  static OperatorRequest request(Map<?, ? extends @Nullable Object> message) throws IOException {
    if (message.get(VERB) instanceof String verb
        && message.get(ARGUMENTS) instanceof Map<?, ?> arguments) {
      return new OperatorRequest(verb, texts(arguments));
    }
    throw new IOException("a message that is not a request");
  }

  static Map<String, @Nullable Object> answer(Map<String, @Nullable Object> answer) {
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put(ANSWER, answer);
    return message;
  }

  static Map<String, @Nullable Object> end(@Nullable String note) {
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put(END, "ok");
    message.put(MESSAGE, note);
    return message;
  }

  static Map<String, @Nullable Object> failure(Reason reason, String text) {
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put(END, "failed");
    message.put(REASON, reason.name());
    message.put(MESSAGE, text);
    return message;
  }

  /**
   * Passes on an answer, if the message is one.
   *
   * @return whether it was the last message
   * @throws OperatorException if it says that the operation did not succeed
   */
  static boolean isLast(Map<?, ? extends @Nullable Object> message, Answers answers)
      throws IOException {
    if (message.get(ANSWER) instanceof Map<?, ?> answer) {
      answers.add(texts(answer));
      return false;
    }
    if ("failed".equals(message.get(END))) {
      boolean isWrong = Reason.WRONG_REQUEST.name().equals(message.get(REASON));
      throw new OperatorException(
          isWrong ? Reason.WRONG_REQUEST : Reason.FAILED, String.valueOf(message.get(MESSAGE)));
    }
    if (!message.containsKey(END)) {
      throw new IOException("a message that is not an answer");
    }
    return true;
  }

  /** {@return the note of the last message} */
  static @Nullable String note(Map<?, ? extends @Nullable Object> last) {
    return last.get(MESSAGE) instanceof String note ? note : null;
  }

  private static Map<String, @Nullable Object> texts(Map<?, ?> map) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    map.forEach((name, value) -> members.put(String.valueOf(name), value));
    return members;
  }
}
