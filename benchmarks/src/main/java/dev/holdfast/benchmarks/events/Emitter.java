package dev.holdfast.benchmarks.events;

/** An object that writes, with events or without. */
public interface Emitter {

  /** Stores a number. */
  void write(long number);

  /** Stores a number and emits the time of this process. */
  void writeAndEmit(long number);

  /** Emits many events. */
  void emit(int count);

  /** Stores a megabyte of random bytes. */
  void fill(int seed);
}
