package dev.holdfast.benchmarks.compare;

import java.io.IOException;

/** One caller's access to a peer, such as a connection. Confined to one thread at a time. */
public interface Session extends AutoCloseable {

  /**
   * Writes the value of an object, and makes the object if there is none; durable when it returns.
   *
   * @param object its name
   * @param value letters
   */
  void put(String object, byte[] value) throws Exception;

  /**
   * Reads the value of an object.
   *
   * @param object its name
   * @return its length in bytes
   */
  int read(String object) throws Exception;

  /**
   * Reads the value of an object that is not in memory, and lets it leave the memory again.
   *
   * @param object its name
   * @return the length of the value in bytes
   */
  default int readCold(String object) throws Exception {
    throw new UnsupportedOperationException("This peer keeps no object out of its memory.");
  }

  @Override
  default void close() throws IOException {}
}
