/*
 * Small host applications; each uses Holdfast only as an outside application could. Open, as
 * applications are: the runtime makes stubs of their interfaces, and the command line library fills
 * fields.
 */
open module dev.holdfast.examples {
  requires dev.holdfast;
  requires java.logging;
  requires java.sql;
  requires dev.holdfast.http;
  requires dev.holdfast.clone;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires de.siegmar.fastcsv;
  requires info.picocli;
  requires static org.jspecify;
}
