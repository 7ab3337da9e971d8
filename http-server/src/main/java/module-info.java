/**
 * The server of the HTTP API and of sites behind its firewall: Jetty, with TLS, HTTP/2, a reverse
 * proxy, and a client that fetches scripts from public addresses only. An application that brings a
 * server of its own needs {@code dev.holdfast.http} alone.
 */
module dev.holdfast.http.server {
  requires transitive dev.holdfast.http;
  requires transitive org.eclipse.jetty.server;
  requires org.eclipse.jetty.alpn.server;
  requires org.eclipse.jetty.client;
  requires org.eclipse.jetty.compression.gzip;
  requires org.eclipse.jetty.compression.server;
  requires org.eclipse.jetty.http2.server;
  requires org.eclipse.jetty.proxy;
  requires static transitive org.jspecify;

  exports dev.holdfast.http.server;
  exports dev.holdfast.http.server.fetch;
  exports dev.holdfast.http.server.site;
}
