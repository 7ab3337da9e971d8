/*
 * The verb cluster, and nodes as processes of one machine. Open, because the command line library
 * sets fields.
 */
open module dev.holdfast.nodes {
  requires transitive dev.holdfast.cluster;
  requires transitive dev.holdfast.launcher;
  requires info.picocli;
  requires static org.jspecify;

  exports dev.holdfast.nodes;
}
