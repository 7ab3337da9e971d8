/**
 * Page monitoring, firewall rules with filters, and managed-rules migration over HTTP, on durable
 * objects: each zone is an object, each operation a turn.
 *
 * <p>RE2/J and salvation are no modules: their names on a module path would be made up from those
 * of their files. So they are not required here but read at run time, on the class path or among
 * the modules of the application.
 */
module dev.holdfast.http {
  requires transitive dev.holdfast.api;
  requires org.eclipse.jetty.server;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.http;
  exports dev.holdfast.http.analysis;
  exports dev.holdfast.http.expression;
  exports dev.holdfast.http.object;
  exports dev.holdfast.http.url;
}
