/*
 * The crash test, which uses Holdfast like any application. Open, like applications in general: the
 * runtime generates stubs of its interfaces, and the command line library sets fields.
 */
open module dev.holdfast.crash {
  requires dev.holdfast;
  requires dev.holdfast.cluster;
  requires dev.holdfast.histories;
  requires dev.holdfast.launcher;
  requires dev.holdfast.nodes;
  requires dev.holdfast.operator;
  requires dev.holdfast.spi;
  requires info.picocli;
  requires static org.jspecify;
}
