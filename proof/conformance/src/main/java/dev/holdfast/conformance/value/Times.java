package dev.holdfast.conformance.value;

/** What the times of the recordings stand for, which are told from one moment or another. */
public interface Times {

  /**
   * {@return the value for a time told from the case's start}
   *
   * @param millis after the start
   */
  Object now(long millis);

  /**
   * {@return the same as a Date}
   *
   * @param millis after the start
   */
  Object nowDate(long millis);

  /**
   * {@return the value for a time told from the moment of the operation}
   *
   * @param millis after the moment
   */
  Object soon(long millis);

  /** Times of expected results: they stay as they were told. */
  Times EXPECTED =
      new Times() {
        @Override
        public Object now(long millis) {
          return Shown.now(millis);
        }

        @Override
        public Object nowDate(long millis) {
          return Shown.now(millis);
        }

        @Override
        public Object soon(long millis) {
          return Shown.soon(millis);
        }
      };
}
