/*
 * A ledger of durable objects and the demo, which use Holdfast like any application. Open, like
 * applications in general: the runtime generates stubs of its interfaces, and the command line
 * library sets fields.
 */
open module dev.holdfast.ledger {
  requires dev.holdfast;
  requires dev.holdfast.console;
  requires dev.holdfast.launcher;
  requires dev.holdfast.nodes;
  requires dev.holdfast.operator;
  requires de.siegmar.fastcsv;
  requires info.picocli;
  requires static org.jspecify;
}
