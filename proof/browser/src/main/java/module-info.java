/** A browser for tests. */
module dev.holdfast.browser {
  requires java.net.http;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.browser;
}
