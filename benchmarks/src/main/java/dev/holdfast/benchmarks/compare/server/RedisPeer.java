package dev.holdfast.benchmarks.compare.server;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Redis that syncs its append-only file before it answers. */
public final class RedisPeer implements Peer {

  private final ServerProcess server;
  private final int port;

  private RedisPeer(ServerProcess server, int port) {
    this.server = server;
    this.port = port;
  }

  /** Starts it. */
  public static RedisPeer start(PeerFiles files, Path directory) throws Exception {
    int port = ServerProcess.freePort();
    ServerProcess server =
        ServerProcess.start(
            List.of(
                files.debian("usr/bin/redis-server").toString(),
                "--port",
                "" + port,
                "--bind",
                "127.0.0.1",
                "--appendonly",
                "yes",
                "--appendfsync",
                "always",
                "--save",
                ""),
            files.libraries(),
            directory);
    server.awaitPort(port);
    return new RedisPeer(server, port);
  }

  @Override
  public String name() {
    return "Redis";
  }

  @Override
  public Place place() {
    return Place.SERVER;
  }

  @Override
  public String durability() {
    return "appendfsync always: fdatasync of its file before the replies of a round of its loop";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.complementOf(EnumSet.of(Workload.COLD_OBJECT));
  }

  /** One connection; the protocol's two forms of an answer are all that these commands have. */
  @Override
  public Session session() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    InputStream in = new BufferedInputStream(socket.getInputStream());
    return new Session() {
      @Override
      public void put(String object, byte[] value) throws IOException {
        String text = new String(value, StandardCharsets.ISO_8859_1);
        send("*3\r\n$3\r\nSET\r\n" + bulk(object) + bulk(text));
        String answer = line();
        if (!answer.equals("+OK")) {
          throw new IOException("Redis answered " + answer);
        }
      }

      @Override
      public int read(String object) throws IOException {
        send("*2\r\n$3\r\nGET\r\n" + bulk(object));
        int length = Integer.parseInt(line().substring(1));
        in.skipNBytes(Math.max(0, length + 2));
        return length;
      }

      private void send(String command) throws IOException {
        socket.getOutputStream().write(command.getBytes(StandardCharsets.ISO_8859_1));
      }

      private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
          if (next < 0) {
            throw new IOException("Redis has closed the connection");
          }
          if (next != '\r') {
            line.append((char) next);
          }
        }
        return line.toString();
      }

      @Override
      public void close() throws IOException {
        socket.close();
      }
    };
  }

  private static String bulk(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  @Override
  public void close() {
    server.close();
  }
}
