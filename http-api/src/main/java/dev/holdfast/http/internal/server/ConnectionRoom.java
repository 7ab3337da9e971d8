package dev.holdfast.http.internal.server;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Makes room for new connections by closing a silent one: one without a request, first of those
 * that never had any, the oldest. The library's own limit stops accepting instead, so that whoever
 * opens many connections and says nothing shuts everybody out. Thread-safe.
 */
final class ConnectionRoom implements Connection.Listener {

  private final int max;

  // Guarded by this; the oldest first, but for those that were seen at work.
  private final Set<Connection> unused = new LinkedHashSet<>();
  private final Set<Connection> used = new LinkedHashSet<>();

  ConnectionRoom(int max) {
    this.max = max;
  }

  @Override
  public void onOpened(Connection connection) {
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

  /** The new connection is silent itself, so there is one. */
  private @Nullable Connection takeSilent() {
    for (Iterator<Connection> oldest = unused.iterator(); oldest.hasNext(); ) {
      Connection next = oldest.next();
      oldest.remove();
      if (next.getMessagesIn() == 0) {
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
