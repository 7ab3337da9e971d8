/**
 * The firewall of a zone: filters, rules, rulesets, the migration of managed rules, and decisions
 * on requests. Each zone is a durable object with a Java interface; {@code dev.holdfast.http}
 * serves it over HTTP.
 *
 * <p>RE2/J is not a module: its name on a module path would be derived from its file name. So this
 * module does not require it but reads it at run time, from the class path or from the modules of
 * the application.
 */
module dev.holdfast.http.firewall {
  requires transitive dev.holdfast.http.expression;
  requires transitive dev.holdfast.http.zone;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.http.firewall;
  exports dev.holdfast.http.firewall.object;
  exports dev.holdfast.http.service.firewall;
  exports dev.holdfast.http.internal.firewallzone to
      dev.holdfast.http;
  exports dev.holdfast.http.internal.request to
      dev.holdfast.http;

  // ADR 74: records that are rows, for the runtime.
  opens dev.holdfast.http.internal.firewall;
  opens dev.holdfast.http.internal.migration;
}
