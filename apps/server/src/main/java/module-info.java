/*
 * The HTTP server. Open, like applications in general: the command line library sets fields.
 */
open module dev.holdfast.server {
  requires dev.holdfast;
  requires dev.holdfast.http.server;
  requires dev.holdfast.launcher;
  requires dev.holdfast.operator;
  requires info.picocli;
  requires java.logging;
  requires tools.jackson.databind;
  requires static org.jspecify;
}
