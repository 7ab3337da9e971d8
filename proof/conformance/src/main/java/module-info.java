/*
 * The replay of recordings, which uses Holdfast like any application. Open, like applications in
 * general: the runtime generates stubs of its interfaces, and the command line library sets fields.
 */
open module dev.holdfast.conformance {
  requires dev.holdfast;
  requires dev.holdfast.clone;
  requires dev.holdfast.launcher;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires info.picocli;
  requires java.sql;
  requires static org.jspecify;
}
