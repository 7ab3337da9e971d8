package dev.holdfast.cluster;

import dev.holdfast.cluster.call.MemberTls;
import dev.holdfast.cluster.tls.TlsFiles;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A peer that speaks to the port of a node's logs byte by byte: HTTP/2 over TLS, or less. */
final class LogPortClient implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 60_000;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  static final int DATA = 0;
  static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int ACKNOWLEDGED = 1;
  static final int END_OF_HEADERS = 4;
  private static final int END_OF_STREAM = 1;

  /** Believes every node. */
  static final TrustManager[] TRUSTING = {new EverybodyIsTrusted()};

  private final Socket socket;

  private LogPortClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** {@return what shows the certificate of the files, and believes every node} */
  static SSLContext showing(TlsFiles files) throws GeneralSecurityException {
    MemberTls own = new MemberTls(files, Map::of, InstantSource.system(), _ -> {});
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(new KeyManager[] {own.keys()}, TRUSTING, null);
    return context;
  }

  static LogPortClient connect(InetSocketAddress address, SSLContext context) throws IOException {
    SSLSocket tls =
        (SSLSocket)
            context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    tls.setSSLParameters(parameters);
    return new LogPortClient(tls);
  }

  static LogPortClient plain(InetSocketAddress address) throws IOException {
    return new LogPortClient(new Socket(address.getAddress(), address.getPort()));
  }

  /** {@return the certificate that the node has shown} */
  X509Certificate shown() throws IOException {
    return (X509Certificate) ((SSLSocket) socket).getSession().getPeerCertificates()[0];
  }

  /** {@return whether the node goes on after the greeting of the protocol} */
  boolean isAccepted() throws IOException {
    try {
      send(PREFACE);
      frame(SETTINGS, 0, 0, new byte[0]);
      frame(PING, 0, 0, new byte[8]);
      while (true) {
        byte[] head = next();
        if (head[3] == PING && head[4] == ACKNOWLEDGED) {
          return true;
        }
        if (head[3] == GO_AWAY) {
          return false;
        }
      }
    } catch (EOFException | SSLException | SocketException e) {
      return false; // in TLS 1.3 the node may refuse the certificate after the client is done
    }
  }

  void send(byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  void frame(int type, int flags, int stream, byte[] content) throws IOException {
    send(
        ByteBuffer.allocate(9 + content.length)
            .putInt(content.length << 8 | type)
            .put((byte) flags)
            .putInt(stream)
            .put(content)
            .array());
  }

  /** Begins a request of the protocol of the logs, with the first bytes of its message. */
  void request(int stream, String method, byte[] message) throws IOException {
    ByteArrayOutputStream headers = new ByteArrayOutputStream();
    header(headers, ":method", "POST");
    header(headers, ":scheme", "https");
    header(headers, ":path", "/ratis.grpc.RaftServerProtocolService/" + method);
    header(headers, ":authority", "node");
    header(headers, "content-type", "application/grpc");
    header(headers, "te", "trailers");
    frame(HEADERS, END_OF_HEADERS, stream, headers.toByteArray());
    frame(DATA, 0, stream, message);
  }

  /** A name and a value as they are, which no table remembers. */
  private static void header(ByteArrayOutputStream to, String name, String value) {
    to.write(0);
    for (String each : new String[] {name, value}) {
      to.write(each.length());
      to.writeBytes(each.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Reads until the node ends the request, though its message is not complete. */
  void awaitEnd(int stream) throws IOException {
    while (true) {
      byte[] head = next();
      boolean isEnd = head[3] == RESET || (head[3] == HEADERS && (head[4] & END_OF_STREAM) != 0);
      if (isEnd && ByteBuffer.wrap(head).getInt(5) == stream) {
        return;
      }
    }
  }

  /** {@return the head of the next frame, whose content is read} */
  private byte[] next() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] head = new byte[9];
    in.readFully(head);
    in.skipNBytes(ByteBuffer.wrap(head).getInt() >>> 8);
    return head;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static final class EverybodyIsTrusted extends X509ExtendedTrustManager {

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
