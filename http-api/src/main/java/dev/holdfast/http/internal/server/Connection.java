package dev.holdfast.http.internal.server;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.Socket;

/**
 * A connection: requests one after the other. Owned by its thread, but for the deadline, at which
 * the listener closes it, whatever its thread waits for then.
 */
final class Connection implements Runnable {

  /** What may still come of a request that was refused, until the client reads why. */
  private static final int DISCARDED_BYTES_MAX = 8 << 20;

  private static final long NEVER = Long.MAX_VALUE;

  private final Listener listener;
  private final Socket socket;
  private final String client;

  private volatile long deadline = NEVER;
  private volatile boolean isIdle;

  Connection(Listener listener, Socket socket) {
    this.listener = listener;
    this.socket = socket;
    this.client = socket.getInetAddress().getHostAddress();
  }

  @Override
  public void run() {
    try (socket) {
      socket.setTcpNoDelay(true);
      ConnectionInput in = new ConnectionInput(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      while (awaitRequest(in) && answer(in, out)) {
        // The next one.
      }
    } catch (IOException gone) {
      // The client is gone, or was too slow; there is nobody to tell.
      System.getLogger("dev.holdfast.http")
          .log(Level.DEBUG, "connection of {0}: {1}", client, gone);
    } catch (RuntimeException | Error defect) {
      System.getLogger("dev.holdfast.http").log(Level.ERROR, "a connection failed", defect);
      throw defect;
    } finally {
      listener.ended(this);
    }
  }

  private boolean awaitRequest(ConnectionInput in) throws IOException {
    isIdle = true;
    deadline = listener.deadline(listener.limits().idleSeconds());
    // Only now: who stops the listener closes those that are idle.
    boolean comes = !listener.isStopping() && in.awaitByte();
    isIdle = false;
    deadline = listener.deadline(listener.limits().requestSeconds());
    return comes;
  }

  /** Answers a request; whether another one may follow. */
  private boolean answer(ConnectionInput in, OutputStream out) throws IOException {
    RequestHead head = null;
    RequestBody body = null;
    Reply reply;
    boolean isLast = false;
    try {
      head = HeadReader.read(in);
      body = RequestBody.of(head, in, out, listener.budget(), this::bodyIsRead);
      if (body.isRead()) {
        bodyIsRead();
      }
      reply = listener.handler().answer(head, body, client);
    } catch (RefusedRequestException refused) {
      String request = head == null ? "- -" : head.method() + " " + head.path();
      reply = listener.handler().refuse(refused, request, client);
      isLast = true;
    } finally {
      if (body != null) {
        body.release();
      }
    }
    isLast |=
        head == null
            || body == null
            || !(body.isRead() || body.isShort())
            || head.isOld()
            || head.lists("connection", "close")
            || listener.isStopping();
    deadline = listener.deadline(listener.limits().requestSeconds());
    listener.writer().write(out, reply, head != null && head.method().equals("HEAD"), isLast);
    if (isLast && (body == null || !body.isRead())) {
      linger(in);
    }
    if (!isLast && body != null && !body.isRead()) {
      body.skip();
    }
    return !isLast;
  }

  /** If it was closed while something still comes, the client might never read the answer. */
  private void linger(ConnectionInput in) throws IOException {
    socket.shutdownOutput();
    deadline = listener.deadline(listener.limits().requestSeconds());
    try {
      in.discard(DISCARDED_BYTES_MAX);
    } catch (EOFException e) {
      System.getLogger("dev.holdfast.http").log(Level.TRACE, "nothing more comes", e);
    }
  }

  /** The answer may take its time. */
  private void bodyIsRead() {
    deadline = NEVER;
  }

  boolean isOver(long now) {
    return now >= deadline;
  }

  boolean isIdle() {
    return isIdle;
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      System.getLogger("dev.holdfast.http").log(Level.DEBUG, "close", e);
    }
  }
}
