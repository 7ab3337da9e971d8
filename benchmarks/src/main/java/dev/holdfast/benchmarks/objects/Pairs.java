package dev.holdfast.benchmarks.objects;

/** An object that keeps pairs. */
public interface Pairs {

  /** Writes a pair. */
  void put(String key, byte[] value);

  /** Writes {@code count} small pairs in one turn. */
  long putMany(int count);

  /** Reads one small value {@code count} times; returns the sum of the values read. */
  long getHot(int count);

  /** Reads a missing key {@code count} times. */
  long getAbsent(int count);

  /** Reads {@code count} different small values once each. */
  long getMany(int count);

  /** Ensures that {@code count} pairs of 100 bytes exist. */
  void fill(int count);

  /** Lists at most {@code count} pairs from the middle on; returns the number found. */
  int list(int count);
}
