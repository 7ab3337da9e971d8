package dev.holdfast.benchmarks.console;

/** The calls of the objects that are shown. */
interface Shelf {
  /** Writes values of random bytes under numbered keys, in one turn. */
  void fill(int firstKey, int keys, int valueBytes);
}
