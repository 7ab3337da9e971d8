package dev.holdfast.operator;

import org.jspecify.annotations.Nullable;

/** What an {@link OperatorSocket} serves. Thread-safe. */
@FunctionalInterface
public interface OperatorService {

  /**
   * Performs an operation. Blocks until all answers are given.
   *
   * @param request the operation
   * @param answers receives the answers
   * @return a sentence for a person, such as that there is more; null if there is none
   * @throws OperatorException if the request is wrong, or the operation fails
   */
  @Nullable String perform(OperatorRequest request, Answers answers);
}
