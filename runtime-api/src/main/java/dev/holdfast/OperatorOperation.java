package dev.holdfast;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operation of an application for its operators: what a command line asks the running process to
 * do, through the socket of {@link RuntimeOptions#operatorSocket}. Thread-safe.
 */
@FunctionalInterface
public interface OperatorOperation {

  /**
   * Performs the operation, on a separate thread.
   *
   * @param runtime the runtime
   * @param arguments texts, numbers and booleans by name
   * @return the answer: maps, lists, texts, numbers, booleans, bytes and null; not changed
   *     afterwards
   * @throws IllegalArgumentException if an argument is wrong; the operator sees the message
   * @throws HoldfastException if an object cannot be called; the operator sees the message
   */
  Map<String, @Nullable Object> perform(
      ObjectRuntime runtime, Map<String, @Nullable Object> arguments);
}
