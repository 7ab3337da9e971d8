/**
 * Page monitoring, firewall rules with filters, and managed-rules migration over HTTP, on durable
 * objects: each zone is an object, each operation a turn. No server: {@code
 * dev.holdfast.http.server} has one, and a host that brings its own calls {@code HttpApi.handle}.
 *
 * <p>RE2/J and salvation are not modules: their names on a module path would be derived from their
 * file names. So this module does not require them but reads them at run time, from the class path
 * or from the modules of the application. The servlets of {@code FirewallFilter} are those of the
 * application's container; an application that uses the filter requires them, too.
 */
module dev.holdfast.http {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.http.expression;
  requires de.siegmar.fastcsv;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static jakarta.servlet;
  requires static transitive org.jspecify;

  exports dev.holdfast.http;
  exports dev.holdfast.http.analysis;
  exports dev.holdfast.http.firewall;
  exports dev.holdfast.http.object;
  exports dev.holdfast.http.site;

  // ADR 74: records that are rows, for the runtime, and records that are JSON.
  opens dev.holdfast.http.internal.auth;
  opens dev.holdfast.http.internal.error to
      tools.jackson.databind;
  opens dev.holdfast.http.internal.firewall;
  opens dev.holdfast.http.internal.migration;
  opens dev.holdfast.http.internal.pagemonitor;
  opens dev.holdfast.http.internal.reply to
      tools.jackson.databind;
  opens dev.holdfast.http.internal.ruleset;
}
