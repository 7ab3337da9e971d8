package dev.holdfast.benchmarks.soak;

/** What an application does with an object: keys, a table, alarms, and now and then a deletion. */
interface Account {

  /** Writes all keys. */
  void fill(byte[][] values);

  /** Writes a key. */
  void put(int key, byte[] value);

  /** {@return the bytes of a key's value; 0 without one} */
  int get(int key);

  /** Adds a row and deletes the oldest beyond a bound; a key where there are no tables. */
  void log(byte[] line);

  /** Sets an alarm that writes a key. */
  void remind(int key);

  /** Deletes all that the object has. */
  void clear();
}
