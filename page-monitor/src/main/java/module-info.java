/**
 * The page monitor of a zone: what its pages load, content security policies, the reports of
 * browsers, and scores of scripts. Each zone is a durable object with a Java interface; {@code
 * dev.holdfast.http} serves it over HTTP.
 *
 * <p>Salvation is not a module: its name on a module path would be derived from its file name. So
 * this module does not require it but reads it at run time, from the class path or from the modules
 * of the application.
 */
module dev.holdfast.http.monitor {
  requires transitive dev.holdfast.http.expression;
  requires transitive dev.holdfast.http.zone;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.http.analysis;
  exports dev.holdfast.http.monitor.object;
  exports dev.holdfast.http.service.monitor;
  exports dev.holdfast.http.internal.pagemonitor to
      dev.holdfast.http;

  // ADR 74: records that are rows, for the runtime.
  opens dev.holdfast.http.internal.pagemonitor;
}
