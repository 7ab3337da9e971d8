package dev.holdfast.benchmarks.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The library's proxy alone, on a server with the settings of the site's, except that it caches
 * headers: that takes memory for each connection, and makes it slightly faster.
 */
final class BareProxy implements AutoCloseable {

  private final Server server;
  private final ServerConnector connector;

  BareProxy(URI origin) throws Exception {
    QueuedThreadPool threads = new QueuedThreadPool(4, 4);
    threads.setReservedThreads(0);
    threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server = new Server(threads);
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new ProxyHandler.Reverse(
            request ->
                HttpURI.build(request.getHttpURI())
                    .scheme(origin.getScheme())
                    .authority(origin.getHost(), origin.getPort())));
    server.start();
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort());
  }

  String base() {
    return "http://127.0.0.1:" + connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the bare proxy cannot be stopped", e);
    }
  }
}
