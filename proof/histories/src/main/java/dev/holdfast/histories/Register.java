package dev.holdfast.histories;

/** A number that is read, added to, and compared and set; 0 at first. Stateless. */
public final class Register implements Model<Long, Register.Call, Long> {

  /** A call of a register. */
  public sealed interface Call {}

  /** Answers the number. */
  public record Read() implements Call {

    @Override
    public String toString() {
      return "read";
    }
  }

  /**
   * Adds, and answers the sum.
   *
   * @param more what is added
   */
  public record Add(long more) implements Call {

    @Override
    public String toString() {
      return "add " + more;
    }
  }

  /**
   * Sets the number if it is as expected; answers 1 if it was set, else 0.
   *
   * @param expected what the number must be
   * @param value what it becomes
   */
  public record CompareAndSet(long expected, long value) implements Call {

    @Override
    public String toString() {
      return "set " + expected + " " + value;
    }
  }

  /** Creates the model. */
  public Register() {}

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public Applied<Long, Long> apply(Long state, Call input) {
    return switch (input) {
      case Read _ -> new Applied<>(state, state);
      case Add add -> new Applied<>(state + add.more(), state + add.more());
      case CompareAndSet set ->
          state == set.expected() ? new Applied<>(set.value(), 1L) : new Applied<>(state, 0L);
    };
  }
}
