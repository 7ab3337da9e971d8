/**
 * Page monitoring, firewall rules with filters, and managed-rules migration over HTTP: models,
 * authentication, envelopes, and the routes from requests to the objects of {@code
 * dev.holdfast.http.firewall} and {@code dev.holdfast.http.monitor}. No server: {@code
 * dev.holdfast.http.server} has one, and a host that brings its own calls {@code HttpApi.handle}.
 *
 * <p>The servlets of {@code FirewallFilter} are those of the application's container; an
 * application that uses the filter requires them, too.
 */
module dev.holdfast.http {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.http.firewall;
  requires transitive dev.holdfast.http.monitor;
  requires de.siegmar.fastcsv;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static jakarta.servlet;
  requires static transitive org.jspecify;

  exports dev.holdfast.http;
  exports dev.holdfast.http.call;
  exports dev.holdfast.http.site;

  // ADR 74: records that are JSON.
  opens dev.holdfast.http.internal.reply to
      tools.jackson.databind;
}
