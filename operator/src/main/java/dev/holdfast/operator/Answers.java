package dev.holdfast.operator;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Receives the answers to a request, one after the other. */
@FunctionalInterface
public interface Answers {

  /**
   * Receives an answer.
   *
   * @param answer maps, lists, texts, numbers, booleans, bytes and null; not changed afterwards
   */
  void add(Map<String, @Nullable Object> answer);
}
