package dev.holdfast.crash;

import java.io.Serial;
import java.util.Map;

/** An object that takes one step after another. */
public interface Cell {

  /**
   * Takes the next step.
   *
   * @param abort whether to reset the object in the middle of it instead
   * @return the step that it was
   * @throws StepException instead of returning, if the plan says so; the step has been done even so
   */
  Reply step(boolean abort) throws StepException;

  /** {@return everything the object has stored} */
  Dump dump();

  /**
   * The answer to a step.
   *
   * @param seq the number of the step
   * @param confirmed whether the answer is a promise
   */
  record Reply(long seq, boolean confirmed) {}

  /**
   * The stored data of an object, values as {@link Digest}.
   *
   * @param seq the number of steps taken
   * @param recorded the last step whose call of the mirror it has recorded; 0 for none
   * @param keys the other pairs
   * @param rows the rows
   */
  record Dump(long seq, long recorded, Map<String, String> keys, Map<Long, String> rows) {}

  /** A step ended in an exception of the object. */
  final class StepException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final long seq;

    StepException(long seq) {
      super("step " + seq + " throws");
      this.seq = seq;
    }

    /** {@return the number of the step} */
    public long seq() {
      return seq;
    }
  }
}
