package dev.holdfast.http.address;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.url.WebUrl;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses of clients in one form, however a server or a proxy has written them. */
public final class NetworkAddress {

  /** IPv6 in brackets (1), or IPv4 (2) with a port, or an address alone (3). */
  private static final Pattern FORM =
      Pattern.compile("\\[([^\\[\\]]*)](?::\\d{1,5})?|([\\d.]+):\\d{1,5}|([^\\[\\]]*)");

  private NetworkAddress() {}

  /**
   * {@return the address: of IPv4 with four numbers, also if it is written as one of IPv6; of IPv6
   * as short as RFC 5952 has it, without the name of an interface; null if the text is none}
   *
   * @param text an address, which may have brackets and a port
   */
  public static @Nullable String canonical(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return null;
    }
    String address = form.group(1) != null ? form.group(1) : form.group(2);
    if (address == null) {
      address = form.group(3);
    }
    int scope = address.indexOf('%');
    String literal = scope < 0 ? address : address.substring(0, scope);
    try {
      // Stricter than Java, which reads 10.1 as an address.
      FilterRequest.EMPTY.with("ip.src", literal);
    } catch (IllegalArgumentException e) {
      return null;
    }
    InetAddress parsed = InetAddress.ofLiteral(literal);
    if (parsed instanceof Inet4Address) {
      return parsed.getHostAddress();
    }
    String host = WebUrl.of("http://[" + literal + "]/").host();
    return host.substring(1, host.length() - 1);
  }
}
