package dev.holdfast.operator;

/** A runtime with operations for operators that are more than those on its files: a node. */
@FunctionalInterface
public interface OperatedRuntime {

  /** {@return the operations, which the caller does not close} */
  OperatorService operations();
}
