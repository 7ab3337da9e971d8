/*
 * A ledger of durable objects and the demo, which use Holdfast as any application could. Open, as
 * applications are: the runtime makes stubs of its interfaces, and the command line library fills
 * fields.
 */
open module dev.holdfast.ledger {
  requires dev.holdfast;
  requires dev.holdfast.launcher;
  requires de.siegmar.fastcsv;
  requires info.picocli;
  requires static org.jspecify;
}
