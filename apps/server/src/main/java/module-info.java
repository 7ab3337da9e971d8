/*
 * The HTTP server. Open, as applications are: the command line library fills fields.
 */
open module dev.holdfast.server {
  requires dev.holdfast;
  requires dev.holdfast.http;
  requires dev.holdfast.launcher;
  requires info.picocli;
  requires java.logging;
  requires static org.jspecify;
}
