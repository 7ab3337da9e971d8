package dev.holdfast.conformance.value;

/** The meaning of the times in the recordings, which are relative to different moments. */
public interface Times {

  /**
   * {@return the value for a time relative to the start of the case}
   *
   * @param millis milliseconds after the start
   */
  Object now(long millis);

  /**
   * {@return the same as a Date}
   *
   * @param millis milliseconds after the start
   */
  Object nowDate(long millis);

  /**
   * {@return the value for a time relative to the moment of the operation}
   *
   * @param millis milliseconds after that moment
   */
  Object soon(long millis);

  /** Times of expected results: they stay as recorded. */
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
