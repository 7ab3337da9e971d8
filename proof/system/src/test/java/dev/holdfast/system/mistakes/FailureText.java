package dev.holdfast.system.mistakes;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** An exception with its causes, without stacks: a line for each. */
final class FailureText {

  private FailureText() {}

  static String of(Throwable failure) {
    StringBuilder text = new StringBuilder();
    @Nullable Throwable each = failure;
    if (each instanceof ExecutionException || each instanceof CompletionException) {
      each = each.getCause(); // of the future that the caller waits for
    }
    for (String before = ""; each != null; each = each.getCause()) {
      text.append(before)
          .append(each.getClass().getSimpleName())
          .append(": ")
          .append(each.getMessage());
      before = "\nbecause of ";
    }
    return text.toString();
  }
}
