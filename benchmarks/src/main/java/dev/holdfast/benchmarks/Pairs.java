package dev.holdfast.benchmarks;

/** An object that keeps pairs. */
public interface Pairs {

  /** Writes a pair. */
  void put(String key, byte[] value);

  /** Writes so many small pairs in one turn. */
  long putMany(int count);

  /** Reads one small value so many times; returns the sum of what was read. */
  long getHot(int count);

  /** Looks so many times for a key that is not there. */
  long getAbsent(int count);

  /** Reads so many different small values once each. */
  long getMany(int count);

  /** Makes sure that so many pairs of 100 bytes are there. */
  void fill(int count);

  /** Lists so many pairs from the middle on; returns how many there were. */
  int list(int count);
}
