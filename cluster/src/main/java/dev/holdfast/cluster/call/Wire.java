package dev.holdfast.cluster.call;

import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameReader;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * The two streams of a connection. One thread reads, one writes, any closes.
 *
 * <p>Closing closes the TCP socket, not the TLS session: that would wait for a writer which waits
 * for the network.
 */
final class Wire implements AutoCloseable {

  private static final int BUFFER_BYTES = 64 << 10;

  private final Socket tcp;
  private final FrameReader reader;
  private final OutputStream out;

  /**
   * Creates it.
   *
   * @param tcp the socket
   * @param in what it reads, decrypted
   * @param out writes to it, encrypting
   */
  Wire(Socket tcp, InputStream in, OutputStream out) {
    this.tcp = tcp;
    this.reader = new FrameReader(new BufferedInputStream(in, BUFFER_BYTES));
    this.out = new BufferedOutputStream(out, BUFFER_BYTES);
  }

  byte[] read(int lengthMax) throws IOException {
    return reader.next(lengthMax);
  }

  void write(byte[] frame) throws IOException {
    out.write(frame);
  }

  void flush() throws IOException {
    out.flush();
  }

  void send(Frame frame) throws IOException {
    write(FrameCodec.encode(frame));
    flush();
  }

  void setSilenceMillis(int millis) throws IOException {
    tcp.setSoTimeout(millis);
  }

  /**
   * Closes the connection when the other side has had time to read what was sent: a socket that is
   * closed with unread bytes discards those that are under way.
   */
  void closeGently() {
    linger(tcp);
  }

  static void linger(Socket tcp) {
    try {
      tcp.setSoTimeout(LINGER_MILLIS);
      tcp.shutdownOutput();
      InputStream rest = tcp.getInputStream();
      byte[] dropped = new byte[Frame.HELLO_LENGTH_MAX];
      int left = LINGER_BYTES_MAX;
      int count = 0;
      while (count >= 0 && left > 0) {
        count = rest.read(dropped);
        left -= count;
      }
    } catch (IOException e) {
      // The other side is gone, or silent: nothing is left to wait for.
    } finally {
      close(tcp);
    }
  }

  private static final int LINGER_MILLIS = 500;
  private static final int LINGER_BYTES_MAX = 64 << 10;

  static void close(Socket tcp) {
    try {
      tcp.close();
    } catch (IOException e) {
      // The descriptor is released in any case.
    }
  }

  @Override
  public void close() {
    close(tcp);
  }
}
