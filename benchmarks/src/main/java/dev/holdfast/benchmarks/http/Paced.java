package dev.holdfast.benchmarks.http;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Requests at a steady rate, whatever the server does: a latency counts from the moment at which
 * the request was due, so a server that stalls cannot hide it.
 */
final class Paced {

  private final InetSocketAddress address;
  private final int perSecond;
  private final int connections;
  private final IntFunction<String> requests;

  /**
   * Creates a load.
   *
   * @param perSecond requests of all connections together
   * @param requests the head and the body of each request by its number
   */
  Paced(InetSocketAddress address, int perSecond, int connections, IntFunction<String> requests) {
    this.address = address;
    this.perSecond = perSecond;
    this.connections = connections;
    this.requests = requests;
  }

  /** Sends for a time; the time of an answer with an error counts like any other. */
  Measured run(Duration duration) throws Exception {
    long cpuBefore = ClosedLoop.processCpuNanos();
    long start = System.nanoTime();
    List<long[]> latencies = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
      List<Future<long[]>> ends = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        int first = i;
        ends.add(threads.submit(() -> send(first, start, duration)));
      }
      for (Future<long[]> end : ends) {
        latencies.add(end.get());
      }
    }
    long[] all = latencies.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    return new Measured(
        all.length,
        System.nanoTime() - start,
        ClosedLoop.processCpuNanos() - cpuBefore,
        0,
        Measured.percentile(all, 0.5),
        Measured.percentile(all, 0.99));
  }

  private long[] send(int first, long start, Duration duration) throws IOException {
    int count = (int) (duration.toMillis() * perSecond / 1_000 / connections);
    long[] latencies = new long[count];
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i < count; i++) {
        int number = first + i * connections;
        long due = start + number * 1_000_000_000L / perSecond;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        out.write(requests.apply(number).getBytes(StandardCharsets.ISO_8859_1));
        read(in);
        latencies[i] = System.nanoTime() - due;
      }
    }
    return latencies;
  }

  /** Reads one answer with a length, or without a body. */
  private static void read(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the server has closed the connection after: " + head);
      }
      head.append((char) next);
    }
    String lower = head.toString().toLowerCase(Locale.ROOT);
    int at = lower.indexOf("\r\ncontent-length:");
    if (at >= 0) {
      int from = at + "\r\ncontent-length:".length();
      in.skipNBytes(Long.parseLong(lower.substring(from, lower.indexOf("\r\n", from)).strip()));
    }
  }
}
