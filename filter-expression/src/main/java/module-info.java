/**
 * Filter expressions over the fields of a request, such as {@code http.host eq "shop.example.com"
 * and ip.src in {192.0.2.0/24}}, and URLs as browsers read them. Usable alone: it knows neither
 * durable objects nor a server.
 *
 * <p>RE2/J is not a module: its name on a module path would be derived from its file name. So this
 * module does not require it but reads it at run time, from the class path or from the modules of
 * the application.
 */
module dev.holdfast.http.expression {
  requires static transitive org.jspecify;

  exports dev.holdfast.http.expression;
  exports dev.holdfast.http.url;
}
