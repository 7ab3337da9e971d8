package dev.holdfast.http.site;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body was read from the beginning, for the firewall, and begins again for the
 * application; so do the parameters of a form, which the container would read from the body.
 */
final class ReplayedServletRequest extends HttpServletRequestWrapper {

  /** As in common containers. */
  private static final int FORM_BYTES_MAX = 2 << 20;

  private static final String FORM = "application/x-www-form-urlencoded";

  private static final String CODING = "Content-Encoding";
  private static final String LENGTH = "Content-Length";

  private final ServletInputStream body;

  /** Of the body without its coding; -1 if the body is as received. */
  private final int decodedBytes;

  private @Nullable BufferedReader reader;
  private @Nullable Map<String, String[]> parameters;

  private ReplayedServletRequest(HttpServletRequest wrapped, InputStream body, int decodedBytes) {
    super(wrapped);
    this.body = new Replay(body);
    this.decodedBytes = decodedBytes;
  }

  /** {@return a request whose body begins again} */
  static ReplayedServletRequest of(HttpServletRequest wrapped, byte[] beginning)
      throws IOException {
    InputStream rest = wrapped.getInputStream();
    return new ReplayedServletRequest(
        wrapped, new SequenceInputStream(new ByteArrayInputStream(beginning), rest), -1);
  }

  /** {@return a request with a body that was read and decoded, and without the coding} */
  static ReplayedServletRequest decoded(HttpServletRequest wrapped, ByteBuffer body) {
    byte[] bytes = new byte[body.remaining()];
    body.duplicate().get(bytes);
    return new ReplayedServletRequest(wrapped, new ByteArrayInputStream(bytes), bytes.length);
  }

  @Override
  public Enumeration<String> getHeaders(String name) {
    if (decodedBytes >= 0 && name.equalsIgnoreCase(CODING)) {
      return Collections.emptyEnumeration();
    }
    return decodedBytes >= 0 && name.equalsIgnoreCase(LENGTH) && super.getHeader(LENGTH) != null
        ? Collections.enumeration(List.of(Integer.toString(decodedBytes)))
        : super.getHeaders(name);
  }

  @Override
  public @Nullable String getHeader(String name) {
    Enumeration<String> values = getHeaders(name);
    return values.hasMoreElements() ? values.nextElement() : null;
  }

  @Override
  public Enumeration<String> getHeaderNames() {
    List<String> names = Collections.list(super.getHeaderNames());
    if (decodedBytes >= 0) {
      names.removeIf(CODING::equalsIgnoreCase);
    }
    return Collections.enumeration(names);
  }

  @Override
  public int getIntHeader(String name) {
    @Nullable String value = getHeader(name);
    return value == null ? -1 : Integer.parseInt(value);
  }

  @Override
  public int getContentLength() {
    return decodedBytes < 0 ? super.getContentLength() : decodedBytes;
  }

  @Override
  public long getContentLengthLong() {
    return decodedBytes < 0 ? super.getContentLengthLong() : decodedBytes;
  }

  @Override
  public ServletInputStream getInputStream() {
    return body;
  }

  @Override
  public BufferedReader getReader() {
    if (reader == null) {
      reader = new BufferedReader(new InputStreamReader(body, charset()));
    }
    return reader;
  }

  private Charset charset() {
    @Nullable String name = getCharacterEncoding();
    return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    if (parameters == null) {
      parameters = read();
    }
    return parameters;
  }

  private Map<String, String[]> read() {
    @Nullable String type = getContentType();
    if (type == null || !type.regionMatches(true, 0, FORM, 0, FORM.length())) {
      return super.getParameterMap();
    }
    Map<String, List<String>> all = new LinkedHashMap<>();
    super.getParameterMap()
        .forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
    try {
      byte[] form = body.readNBytes(FORM_BYTES_MAX + 1);
      if (form.length > FORM_BYTES_MAX) {
        throw new IllegalStateException("a form is longer than " + FORM_BYTES_MAX + " bytes");
      }
      for (String pair : new String(form, StandardCharsets.UTF_8).split("&", -1)) {
        if (!pair.isEmpty()) {
          String[] halves = pair.split("=", 2);
          all.computeIfAbsent(decode(halves[0]), name -> new ArrayList<>())
              .add(halves.length == 1 ? "" : decode(halves[1]));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String[]> arrays = new LinkedHashMap<>();
    all.forEach((name, values) -> arrays.put(name, values.toArray(new String[0])));
    return Collections.unmodifiableMap(arrays);
  }

  private String decode(String text) {
    return URLDecoder.decode(text, charset());
  }

  @Override
  public @Nullable String getParameter(String name) {
    String @Nullable [] values = getParameterMap().get(name);
    return values == null || values.length == 0 ? null : values[0];
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(getParameterMap().keySet());
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    String @Nullable [] values = getParameterMap().get(name);
    return values == null ? null : values.clone();
  }

  /** The beginning and the rest. */
  private static final class Replay extends ServletInputStream {

    private final InputStream in;
    private boolean isFinished;

    Replay(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      isFinished |= read < 0;
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = in.read(bytes, offset, length);
      isFinished |= count < 0;
      return count;
    }

    @Override
    public boolean isFinished() {
      return isFinished;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new IllegalStateException(
          "behind the firewall a body is read without a ReadListener: the firewall has read its"
              + " beginning");
    }
  }
}
