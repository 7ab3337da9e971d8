package dev.holdfast.http.site;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.Header;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.site.SiteGuard.Asked;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts the firewall and the page monitor in front of a Jakarta servlet application.
 *
 * <pre>{@code
 * var filter = context.addFilter("firewall", new FirewallFilter(api, SiteOptions.DEFAULT));
 * filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
 * filter.setAsyncSupported(true); // if a servlet answers later
 * }</pre>
 *
 * <p>It answers blocked requests with the status 403, challenges as the options say, and hosts
 * without a zone with 421; it serves the address of reports, and adds the headers of the monitor
 * and of policies to pages, with the type and the cookies that the response has when the
 * application asks for its stream, redirects or sends an error, also when it does so later, on
 * another thread or in another dispatch, which is not decided on again. Where a decision can depend
 * on the body, the filter reads its beginning, and the application reads it again from the
 * beginning, without a {@code ReadListener}; a body of the type {@code multipart} is left to the
 * container, and is for rules an empty body that is cut.
 */
@SuppressWarnings("exports") // an application with this filter has the servlets of its container
public final class FirewallFilter implements Filter {

  /** The container writes it, whatever type the application has set before. */
  private static final String ERROR_PAGE = "text/html";

  /** Ends a host in a URL, or is an empty one: the path would begin with the host. */
  private static final Pattern NO_HOST = Pattern.compile("[/\\\\?#@]|^$");

  private final SiteGuard guard;

  /**
   * Creates the filter.
   *
   * @param api the API whose zones decide
   * @param options the options
   */
  public FirewallFilter(HttpApi api, SiteOptions options) {
    this.guard = new SiteGuard(api, options);
  }

  /**
   * Decides on a request.
   *
   * @param request the request
   * @param response the response
   * @param chain the application
   * @throws IOException if the client is gone, or the application fails so
   * @throws ServletException if the request is not one of HTTP, or the application fails so
   */
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answering)) {
      throw new ServletException("the firewall decides on requests of HTTP only");
    }
    if (http.getDispatcherType() == DispatcherType.ASYNC) {
      chain.doFilter(request, response); // has passed, and its response is the page
      return;
    }
    Map<String, List<String>> headers =
        headers(
            Collections.list(http.getHeaderNames()),
            name ->
                Collections.list(http.getHeaders(name)).stream()
                    .map(SiteGuard::headerText)
                    .toList());
    Asked asked =
        guard
            .asked(http.getMethod(), url(http), headers, http.getRemoteAddr())
            .withVersion(http.getProtocol());
    int bodyBytes = guard.bodyBytes(asked);
    HttpServletRequest site = http;
    boolean isRead = !mayHaveBody(http);
    boolean isMultipart =
        asked.request().header("content-type").stream()
            .anyMatch(type -> type.toLowerCase(Locale.ROOT).startsWith("multipart/"));
    if (bodyBytes > 0 && isMultipart) {
      asked = guard.withBody(asked, ByteBuffer.allocate(0), true);
    } else if (bodyBytes > 0 && http.getContentLengthLong() != 0) {
      byte[] beginning = http.getInputStream().readNBytes(bodyBytes + 1);
      int seen = Math.min(beginning.length, bodyBytes);
      isRead = beginning.length <= bodyBytes;
      asked = guard.withBody(asked, ByteBuffer.wrap(beginning, 0, seen), !isRead);
      site =
          asked.isDecoded()
              ? ReplayedServletRequest.decoded(http, asked.request().body())
              : ReplayedServletRequest.of(http, beginning);
    }
    Optional<ApiResponse> answer = guard.answer(asked);
    if (answer.isPresent()) {
      if (!isRead && http.getProtocol().startsWith("HTTP/1.")) {
        // A container ends the connection then: its client must send no other request on it.
        answering.setHeader("Connection", "close");
      }
      send(answer.get(), answering);
      return;
    }
    PageResponse page = new PageResponse(answering, asked);
    // The container answers an exception with a page of its own.
    @Nullable String type = ERROR_PAGE;
    try {
      chain.doFilter(new PageRequest(site, page), page);
      type = page.isLater ? null : page.getContentType();
    } finally {
      if (!page.isLater) {
        // Even if the response is sent: a container of Servlet 6.1 has ways that 6.0 does not know.
        page.begin(type);
      }
    }
  }

  /** Has the cookies of pages stored that were noted in memory. */
  @Override
  public void destroy() {
    guard.close();
  }

  private static void send(ApiResponse answer, HttpServletResponse response) throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    if (answer.status() != 204) {
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }

  private static boolean mayHaveBody(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /** {@return the URL that the client named; empty, which is refused, if its host is none} */
  private static String url(HttpServletRequest request) {
    @Nullable String host = request.getHeader("Host");
    if (host != null && NO_HOST.matcher(host).find()) {
      // Its end would be judged instead of the path that the application gets.
      return "";
    }
    @Nullable String query = request.getQueryString();
    return (request.isSecure() ? "https://" : "http://")
        + (host == null ? request.getServerName() : host)
        + request.getRequestURI()
        + (query == null ? "" : "?" + query);
  }

  /** {@return headers by name in lower case} */
  private static Map<String, List<String>> headers(
      Collection<String> names, Function<String, Collection<String>> values) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    names.forEach(
        name -> headers.put(name.toLowerCase(Locale.ROOT), List.copyOf(values.apply(name))));
    return headers;
  }

  /** A request whose application uses the response of the page, also if it answers later. */
  private static final class PageRequest extends HttpServletRequestWrapper {

    private final PageResponse page;

    PageRequest(HttpServletRequest wrapped, PageResponse page) {
      super(wrapped);
      this.page = page;
    }

    /** Without this, the container has the response that it knows itself. */
    @Override
    public AsyncContext startAsync() {
      return startAsync(this, page);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
      AsyncContext later = super.startAsync(request, response);
      page.isLater = true;
      later.addListener(page);
      return later;
    }
  }

  /**
   * Adds the headers of a page when the application begins to answer. Owned by the thread of the
   * request, or, after {@code startAsync}, by that which answers.
   */
  private final class PageResponse extends HttpServletResponseWrapper implements AsyncListener {

    private final Asked asked;
    private boolean isLater;
    private boolean isBegun;

    PageResponse(HttpServletResponse wrapped, Asked asked) {
      super(wrapped);
      this.asked = asked;
    }

    void begin(@Nullable String type) throws IOException {
      if (isBegun) {
        return;
      }
      isBegun = true;
      Map<String, List<String>> headers = headers(getHeaderNames(), this::getHeaders);
      if (type != null) {
        headers.put("content-type", List.of(type));
      }
      if (!SiteGuard.mayGetHeaders(asked, type, headers.containsKey("set-cookie"))) {
        return;
      }
      try {
        for (Header header : guard.headers(asked, headers)) {
          addHeader(header.name(), header.value());
        }
      } catch (IllegalArgumentException e) {
        // A page without its policies would allow what they forbid.
        throw new IOException("the policies of a page are unknown", e);
      }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      begin(getContentType());
      return super.getOutputStream();
    }

    @Override
    public PrintWriter getWriter() throws IOException {
      begin(getContentType());
      return super.getWriter();
    }

    @Override
    public void flushBuffer() throws IOException {
      begin(getContentType());
      super.flushBuffer();
    }

    @Override
    public void sendRedirect(String location) throws IOException {
      begin(getContentType());
      super.sendRedirect(location);
    }

    @Override
    public void sendError(int status) throws IOException {
      begin(ERROR_PAGE);
      super.sendError(status);
    }

    @Override
    public void sendError(int status, @Nullable String message) throws IOException {
      begin(ERROR_PAGE);
      super.sendError(status, message);
    }

    @Override
    public void onComplete(AsyncEvent event) throws IOException {
      begin(getContentType());
    }

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {
      begin(ERROR_PAGE);
    }

    @Override
    public void onError(AsyncEvent event) throws IOException {
      begin(ERROR_PAGE);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }
}
