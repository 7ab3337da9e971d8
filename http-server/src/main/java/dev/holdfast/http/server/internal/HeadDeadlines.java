package dev.holdfast.http.server.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Closes connections whose head arrives too slowly: the library's time-out restarts with each byte.
 * Each connection is checked in every period; one that has sent something in two of them and
 * completed no request is closed, so a head takes at most three periods. Thread-safe.
 */
final class HeadDeadlines implements Connection.Listener {

  private final Scheduler scheduler;
  private final long periodMillis;
  private final Map<Connection, Watch> watches = new ConcurrentHashMap<>();

  HeadDeadlines(Scheduler scheduler, long periodMillis) {
    this.scheduler = scheduler;
    this.periodMillis = periodMillis;
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection) {
      // It does not know of requests; the connection inside of it does.
      return;
    }
    Watch watch = new Watch(connection);
    watches.put(connection, watch);
    watch.await();
  }

  @Override
  public void onClosed(Connection connection) {
    Watch watch = watches.remove(connection);
    if (watch != null) {
      watch.end();
    }
  }

  /** Owned by the scheduler, except for its end. */
  private final class Watch implements Runnable {

    private final Connection connection;
    private long requests;
    private long bytes;
    private boolean hasDripped;
    private volatile boolean isOver;
    private volatile Scheduler.Task next = () -> false;

    Watch(Connection connection) {
      this.connection = connection;
    }

    void await() {
      next = scheduler.schedule(this, periodMillis, TimeUnit.MILLISECONDS);
      if (isOver) {
        next.cancel();
      }
    }

    void end() {
      isOver = true;
      next.cancel();
    }

    @Override
    public void run() {
      if (connection instanceof NegotiatingServerConnection) {
        // A handshake has one period, however slowly its bytes arrive.
        connection.getEndPoint().close();
        return;
      }
      long requestsNow = connection.getMessagesIn();
      boolean isHead = requestsNow == requests && requestsNow == connection.getMessagesOut();
      long bytesNow = connection.getBytesIn();
      boolean drips = isHead && bytesNow != bytes;
      if (drips && hasDripped) {
        connection.getEndPoint().close();
        return;
      }
      hasDripped = drips || (isHead && hasDripped);
      requests = requestsNow;
      bytes = bytesNow;
      if (!isOver) {
        await();
      }
    }
  }
}
