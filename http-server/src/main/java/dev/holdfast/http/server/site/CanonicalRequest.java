package dev.holdfast.http.server.site;

import dev.holdfast.http.site.SiteGuard.Asked;
import dev.holdfast.http.url.RequestTarget;
import dev.holdfast.http.url.WebUrl;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;

/**
 * A request as the rules have judged it: the site gets the same scheme, host, target and cookies.
 */
final class CanonicalRequest extends Request.Wrapper {

  private final HttpURI uri;
  private final HttpFields headers;

  /**
   * Takes the canonical form over.
   *
   * @param wrapped the request as received
   * @param asked its canonical form, which is not refused
   */
  CanonicalRequest(Request wrapped, Asked asked) {
    super(wrapped);
    RequestTarget target = asked.request().target().orElseThrow();
    WebUrl url = asked.request().webUrl().orElseThrow();
    this.uri =
        HttpURI.build(wrapped.getHttpURI())
            .scheme(url.scheme())
            .authority(url.authority())
            .path(target.path())
            .query(target.query())
            .asImmutable();
    HttpFields.Mutable canonical = HttpFields.build();
    for (HttpField field : wrapped.getHeaders()) {
      if (field.getHeader() != HttpHeader.COOKIE) {
        canonical.add(field);
      } else if (!canonical.contains(HttpHeader.COOKIE)) {
        // One line, as in the canonical form, with the bytes as received.
        List<String> lines = wrapped.getHeaders().getValuesList(HttpHeader.COOKIE);
        canonical.add(HttpHeader.COOKIE, String.join("; ", lines));
      }
    }
    canonical.put(HttpHeader.HOST, url.authority());
    this.headers = canonical.asImmutable();
  }

  @Override
  public HttpURI getHttpURI() {
    return uri;
  }

  @Override
  public HttpFields getHeaders() {
    return headers;
  }
}
