package dev.holdfast.backend.sqlite.terms;

/** Arithmetic on numbers of terms, which grow like powers: beyond a bound they stay at it. */
final class Terms {

  /** More than any limit. */
  static final long MAX = 1L << 40;

  private Terms() {}

  static long sum(long one, long other) {
    return Math.min(MAX, one + other);
  }

  static long product(long one, long other) {
    return one == 0 || other <= MAX / one ? one * other : MAX;
  }
}
