package dev.holdfast.http.server.internal;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.jspecify.annotations.Nullable;

/**
 * Makes room for new connections by closing an idle one: the oldest connection without a request,
 * first among those that never had one. The library's own limit stops accepting instead, so a
 * client that opens many idle connections would lock out all others. Thread-safe.
 */
final class ConnectionRoom implements Connection.Listener {

  private final int max;

  // Guarded by this; the oldest first, except those that were seen active.
  private final Set<Connection> unused = new LinkedHashSet<>();
  private final Set<Connection> used = new LinkedHashSet<>();

  ConnectionRoom(int max) {
    this.max = max;
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection) {
      // The connection that reads what it decrypts is counted.
      return;
    }
    Connection silent = null;
    synchronized (this) {
      unused.add(connection);
      if (unused.size() + used.size() > max) {
        silent = takeSilent();
      }
    }
    if (silent != null) {
      silent.getEndPoint().close();
    }
  }

  @Override
  public synchronized void onClosed(Connection connection) {
    if (!unused.remove(connection)) {
      used.remove(connection);
    }
  }

  /** The new connection is idle itself, so there is always one. */
  private @Nullable Connection takeSilent() {
    for (Iterator<Connection> oldest = unused.iterator(); oldest.hasNext(); ) {
      Connection next = oldest.next();
      oldest.remove();
      // Negative before the protocol is known.
      if (next.getMessagesIn() <= 0) {
        return next;
      }
      used.add(next);
    }
    for (int i = used.size(); i > 0; i--) {
      Connection next = used.iterator().next();
      used.remove(next);
      if (next.getMessagesIn() == next.getMessagesOut()) {
        return next;
      }
      used.add(next);
    }
    return null;
  }
}
