/*
 * The verb cluster, and nodes as processes of one machine. Open, because the command line library
 * sets fields.
 */
open module dev.holdfast.nodes {
  requires transitive dev.holdfast.cluster;
  requires transitive dev.holdfast.launcher;
  requires dev.holdfast.operator;
  requires info.picocli;
  requires tools.jackson.databind;
  requires static org.jspecify;

  exports dev.holdfast.nodes;
}
