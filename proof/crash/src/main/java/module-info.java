/*
 * The crash test, which uses Holdfast as any application could. Open, as
 * applications are: the runtime makes stubs of its interfaces, and the command line library fills
 * fields.
 */
open module dev.holdfast.crash {
  requires dev.holdfast;
  requires dev.holdfast.launcher;
  requires info.picocli;
  requires static org.jspecify;
}
