/** Shows a runtime, its objects and their past in a browser. Only applications depend on it. */
module dev.holdfast.console {
  requires transitive dev.holdfast.operator;
  requires transitive jakarta.servlet;
  requires gg.jte.runtime;
  requires static java.compiler; // an annotation of the compiled templates
  requires org.eclipse.jetty.ee10.servlet;
  requires static transitive org.jspecify;

  exports dev.holdfast.console;
}
