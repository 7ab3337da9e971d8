/*
 * The replay of recordings, which uses Holdfast as any application could. Open, as
 * applications are: the runtime makes stubs of its interfaces, and the command line library fills
 * fields.
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
