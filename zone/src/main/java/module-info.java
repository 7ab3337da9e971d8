/**
 * What the firewall and the page monitor of a zone share: the zone's profile, the accounts, and,
 * for these modules alone, its store.
 */
@SuppressWarnings("module") // modules that are built later are friends of this one
module dev.holdfast.http.zone {
  requires transitive dev.holdfast.api;
  requires dev.holdfast.http.expression;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.http.object;
  exports dev.holdfast.http.address to
      dev.holdfast.http,
      dev.holdfast.http.firewall,
      dev.holdfast.http.monitor;
  exports dev.holdfast.http.internal.accounts to
      dev.holdfast.http;
  exports dev.holdfast.http.internal.json to
      dev.holdfast.http,
      dev.holdfast.http.firewall,
      dev.holdfast.http.monitor;
  exports dev.holdfast.http.internal.store to
      dev.holdfast.http,
      dev.holdfast.http.firewall,
      dev.holdfast.http.monitor;

  // ADR 74: records that are rows, for the runtime.
  opens dev.holdfast.http.internal.accounts;
}
