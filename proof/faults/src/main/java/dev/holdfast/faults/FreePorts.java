package dev.holdfast.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ports of the loopback address for what is given its port. They are below those that connections
 * get, and no port is given twice while the process runs: a test may close what listens, and open
 * it again, while other tests look for ports. Processes share the ports by locks in a file.
 */
public final class FreePorts {

  private static final int FIRST = 10_000;
  private static final int BLOCKS = 200;
  private static final int PORTS_OF_BLOCK = 100;

  private static final List<FileLock> HELD = new ArrayList<>(); // until the process ends
  private static @Nullable FileChannel shared;
  private static int next;
  private static int end;

  private FreePorts() {}

  /**
   * Finds ports, each free together with the next one.
   *
   * @param count how many
   * @return the ports; no two of the pairs have a port in common
   * @throws IOException if other processes have all of them, or the file of locks cannot be used
   */
  public static synchronized List<Integer> pairs(int count) throws IOException {
    List<Integer> found = new ArrayList<>();
    while (found.size() < count) {
      if (next == end) {
        claim();
      }
      int port = next;
      next += 2;
      if (isFree(port) && isFree(port + 1)) {
        found.add(port);
      }
    }
    return List.copyOf(found);
  }

  private static void claim() throws IOException {
    FileChannel locks = shared;
    if (locks == null) {
      locks =
          FileChannel.open(
              Path.of(System.getProperty("java.io.tmpdir"), "holdfast-test-ports"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      shared = locks;
    }
    for (int block = HELD.isEmpty() ? 0 : (int) HELD.getLast().position() + 1;
        block < BLOCKS;
        block++) {
      FileLock lock = locks.tryLock(block, 1, false);
      if (lock != null) {
        HELD.add(lock);
        next = FIRST + block * PORTS_OF_BLOCK;
        end = next + PORTS_OF_BLOCK;
        return;
      }
    }
    throw new IOException("Other processes have all ports that tests may use.");
  }

  /** A process that has outlived its test may listen. */
  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
