/** Small host applications; each uses Holdfast only as an outside application could. */
module dev.holdfast.examples {
  requires dev.holdfast;
  requires static org.jspecify;
}
