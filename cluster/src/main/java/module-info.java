/**
 * The same objects on several machines: where an object is, and calls of objects that another node
 * owns. {@code docs/formats/call-protocol.md} describes every byte that nodes exchange.
 */
module dev.holdfast.cluster {
  requires transitive dev.holdfast.api;
  requires dev.holdfast;
  requires dev.holdfast.archiver;
  requires dev.holdfast.backend.sqlite;
  requires dev.holdfast.backup;
  requires dev.holdfast.clone;
  requires dev.holdfast.journal;
  requires dev.holdfast.log.ratis;
  requires transitive dev.holdfast.operator;
  requires dev.holdfast.pitr;
  requires dev.holdfast.runtime;
  requires dev.holdfast.shards;
  requires dev.holdfast.verify;
  requires jdk.jfr;
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.cluster;
  exports dev.holdfast.cluster.errors;
  exports dev.holdfast.cluster.tls;
}
