package dev.holdfast.console;

import dev.holdfast.console.chart.Samples;
import dev.holdfast.console.login.Session;
import dev.holdfast.console.login.Sessions;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import gg.jte.generated.precompiled.JteloginGenerated;
import gg.jte.generated.precompiled.JteproblemGenerated;
import gg.jte.html.HtmlTemplateOutput;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A request and its answer. Owned by the thread of the request. */
final class Exchange {

  private static final String COOKIE = "holdfast_console";

  /** No code or style in a page, nothing of other sites, no frame around it. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

  private static final int TEXT_CHARS_MAX = 100_000;
  private static final int FORM_BYTES_MAX = 200_000;
  private static final String FORM_TYPE = "application/x-www-form-urlencoded";

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final Shared shared;
  private @Nullable Session session;

  Exchange(HttpServletRequest request, HttpServletResponse response, Shared shared) {
    this.request = request;
    this.response = response;
    this.shared = shared;
  }

  /**
   * What all requests of a console have. Thread-safe.
   *
   * @param source what is shown
   * @param sessions those that are open
   * @param samples the figures of the last hour
   * @param clock the time
   * @param isRedacted whether values are hidden
   */
  record Shared(
      Source source, Sessions sessions, Samples samples, InstantSource clock, boolean isRedacted) {}

  HttpServletRequest request() {
    return request;
  }

  HttpServletResponse response() {
    return response;
  }

  /** {@return whether values are hidden} */
  boolean isRedacted() {
    return shared.isRedacted();
  }

  /** {@return the figures of the last hour} */
  Samples samples() {
    return shared.samples();
  }

  Instant now() {
    return shared.clock().instant();
  }

  String method() {
    return request.getMethod();
  }

  /** {@return the path below that of the console; / for the console itself} */
  String path() {
    String path = request.getPathInfo();
    return path == null || path.isEmpty() ? "/" : path;
  }

  String base() {
    return request.getContextPath() + request.getServletPath();
  }

  void protect() {
    response.setHeader("Content-Security-Policy", POLICY);
    response.setHeader("X-Content-Type-Options", "nosniff");
    // Not no-referrer: a browser would say of our own forms, too, that their origin is null.
    response.setHeader("Referrer-Policy", "same-origin");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cache-Control", "no-store");
  }

  /**
   * Reads the parameters before anything is answered. A container ends a connection on which a body
   * is left; where one is, the answer says so.
   *
   * @throws PageException if the form is too long, or malformed
   */
  void readParameters() {
    boolean isRead = method().equals("GET") || method().equals("HEAD");
    String type = request.getContentType();
    if (!isRead && !(method().equals("POST") && type != null && type.startsWith(FORM_TYPE))) {
      response.setHeader("Connection", "close");
      return;
    }
    if (request.getContentLengthLong() > FORM_BYTES_MAX) { // before a byte of it is awaited
      response.setHeader("Connection", "close");
      throw new PageException(413, "The form is too long.");
    }
    try {
      request.getParameterMap();
    } catch (RuntimeException e) { // of the container, which has a type for it each
      response.setHeader("Connection", "close");
      throw isRead
          ? new PageException(400, "The address is malformed.")
          : new PageException(413, "The form is too long, or malformed.");
    }
  }

  // ---- Login --------------------------------------------------------------------------------

  @Nullable String cookie() {
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie each : cookies) {
        if (each.getName().equals(COOKIE)) {
          return each.getValue();
        }
      }
    }
    return null;
  }

  void enter(Session of) {
    session = of;
  }

  void entered(String secret) {
    cookie(secret, "");
    redirect(asked());
  }

  /** Ends the session. */
  void leave() {
    shared.sessions().leave(cookie());
    toLogin();
  }

  void toLogin() {
    cookie("", "; Max-Age=0");
    if (request.getHeader("HX-Request") == null) {
      String query = request.getQueryString() == null ? "" : "?" + request.getQueryString();
      boolean isPage = method().equals("GET") && !path().equals("/");
      redirect("/login" + (isPage ? "?to=" + Text.query(path() + query) : ""));
    } else {
      response.setHeader("HX-Redirect", base() + "/login"); // a part of a page cannot be the login
    }
  }

  /**
   * {@return the page that was asked for before the login; never one that is not of the console}
   */
  private String asked() {
    String to = text("to");
    boolean isPage = ConsoleRoute.find("GET", to.split("\\?", 2)[0]) != null;
    return isPage && to.matches("[!-~]+") ? to : "/";
  }

  private void cookie(String secret, String more) {
    response.addHeader(
        "Set-Cookie",
        COOKIE
            + "="
            + secret
            + "; Path="
            + base()
            + "/; HttpOnly; SameSite=Strict"
            + (request.isSecure() ? "; Secure" : "")
            + more);
  }

  void loginPage(int status, @Nullable String problem) throws IOException {
    response.setStatus(status);
    html(out -> JteloginGenerated.render(out, null, base(), asked(), problem));
  }

  /**
   * Refuses a change that another site has asked for. A browser says where a request comes from; a
   * session's forms have a secret, too.
   */
  void checkOrigin(boolean hasForms) {
    String site = request.getHeader("Sec-Fetch-Site");
    boolean isForeign = site != null && !site.equals("same-origin") && !site.equals("none");
    String origin = request.getHeader("Origin");
    if (isForeign || (origin != null && !origin.equalsIgnoreCase(own()))) {
      throw new PageException(403, "Another site has sent this request.");
    }
    if (hasForms && !Sessions.isOwn(session(), secret())) {
      throw new PageException(403, "The form is of an older session; go back and reload the page.");
    }
  }

  /** {@return the secret of a form; of a file, which is a body without fields, it is a header} */
  private @Nullable String secret() {
    String header = request.getHeader("X-Holdfast-Form");
    return header == null ? request.getParameter("form") : header;
  }

  /** {@return where browsers reach the console, also through a proxy that keeps no host} */
  private String own() {
    String host = request.getServerName();
    boolean isBare = host.contains(":") && !host.startsWith("[");
    int port = request.getServerPort();
    return request.getScheme()
        + "://"
        + (isBare ? "[" + host + "]" : host)
        + (port == (request.getScheme().equals("https") ? 443 : 80) ? "" : ":" + port);
  }

  private Session session() {
    if (session == null) {
      throw new PageException(403, "There is no session.");
    }
    return session;
  }

  // ---- Parameters ---------------------------------------------------------------------------

  /** {@return a parameter; empty if it is missing} */
  String text(String name) {
    String value = request.getParameter(name);
    if (value != null && value.length() > TEXT_CHARS_MAX) {
      throw new PageException(413, "The parameter " + name + " is too long.");
    }
    return value == null ? "" : value;
  }

  /** {@return a text that a person has typed: browsers send each end of a line as CR and LF} */
  String typed(String name) {
    return text(name).replace("\r\n", "\n");
  }

  /** {@return a parameter; null if it is missing or empty} */
  @Nullable String textOrNull(String name) {
    String value = text(name);
    return value.isEmpty() ? null : value;
  }

  String required(String name) {
    String value = text(name);
    if (value.isEmpty()) {
      throw new PageException(400, "The parameter " + name + " is missing.");
    }
    return value;
  }

  /** {@return a whole number; 0 if it is missing} */
  long number(String name) {
    Long number = numberOrNull(name);
    return number == null ? 0 : number;
  }

  /** {@return a whole number; null if it is missing} */
  @Nullable Long numberOrNull(String name) {
    String value = textOrNull(name);
    try {
      return value == null ? null : Long.valueOf(value);
    } catch (NumberFormatException e) {
      throw new PageException(400, "The parameter " + name + " is not a whole number.");
    }
  }

  long requiredNumber(String name) {
    required(name);
    return number(name);
  }

  /** {@return the shard of a cluster that a page is about; null if it is about all} */
  @Nullable Long shard() {
    return numberOrNull("shard");
  }

  /** {@return what a change is about, for the log} */
  String subject() {
    return Stream.of("action", "namespace", "object", "alarm", "shard", "to", "topic", "consumer")
        .filter(name -> !text(name).isEmpty())
        .map(name -> name + "=" + text(name))
        .collect(Collectors.joining(" "))
        .replaceAll("[\\p{C}]", "?");
  }

  // ---- Answers ------------------------------------------------------------------------------

  PageFrame frame(String section) {
    Session of = session();
    return new PageFrame(
        base(), section, of.mayChange(), of.form(), isRedacted(), shared.source().isNode());
  }

  void html(Consumer<HtmlTemplateOutput> template) throws IOException {
    StringOutput text = new StringOutput();
    template.accept(new OwaspHtmlTemplateOutput(text));
    send("text/html", text.toString());
  }

  void json(String text) throws IOException {
    send("application/json", text);
  }

  private void send(String type, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    response.setContentType(type + ";charset=utf-8");
    response.setContentLength(bytes.length);
    if (!method().equals("HEAD")) {
      response.getOutputStream().write(bytes);
    }
  }

  void problem(int status, String sentence) throws IOException {
    if (response.isCommitted()) {
      return; // the browser has a part of the page; the container ends the connection
    }
    response.setStatus(status);
    if (status == 503 && method().equals("GET")) { // shown again until the process is back
      boolean isPart = request.getHeader("HX-Request") != null;
      response.setHeader(isPart ? "HX-Refresh" : "Refresh", isPart ? "true" : "2");
    }
    PageFrame frame =
        session == null ? new PageFrame(base(), "", false, "", isRedacted(), false) : frame("");
    html(out -> JteproblemGenerated.render(out, null, frame, session != null, sentence));
  }

  void redirect(String path) {
    response.setStatus(303);
    response.setHeader("Location", base() + path);
  }
}
