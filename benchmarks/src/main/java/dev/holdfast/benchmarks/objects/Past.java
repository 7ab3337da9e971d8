package dev.holdfast.benchmarks.objects;

/** An object that can become large and be restored. */
public interface Past {

  /** Writes rows of random bytes. */
  void fill(int firstRow, int rows, int bytes);

  /** Changes 100 bytes in a row. */
  void update(long row, byte[] value);

  /** Returns a bookmark. */
  String bookmark();

  /** Returns a bookmark of a time. */
  String bookmarkAt(long wallMillis);

  /** Requests a restore and resets the object. */
  void restore(String bookmark);

  /** Returns the number of rows. */
  long rows();
}
