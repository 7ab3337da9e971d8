package dev.holdfast.cluster.call;

import dev.holdfast.cluster.frame.Frame;

/**
 * What of a connection's calls is not answered. Both sides count, so that the receiver can refuse
 * more before it has given memory. Guarded by the lock of its connection.
 */
final class Window {

  /** Maximum number of calls. */
  static final int CALLS_MAX = 4_096;

  /** Maximum length of their frames together, in bytes, unless there is only one. */
  static final int BYTES_MAX = Frame.LENGTH_MAX;

  private int calls;
  private long bytes;

  boolean hasRoomFor(int lengthBytes) {
    return calls < CALLS_MAX && (calls == 0 || bytes + lengthBytes <= BYTES_MAX);
  }

  void add(int lengthBytes) {
    assert hasRoomFor(lengthBytes);
    calls++;
    bytes += lengthBytes;
  }

  void remove(int lengthBytes) {
    calls--;
    bytes -= lengthBytes;
    assert calls >= 0 && bytes >= 0;
  }
}
