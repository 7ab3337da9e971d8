package dev.holdfast.cluster.member;

import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;

/**
 * A member and where it takes calls. Its logs use the next port.
 *
 * @param node the member
 * @param address where it takes calls
 */
public record MemberAddress(NodeId node, InetSocketAddress address) {

  private static final int PORT_MAX = 65_534;

  /**
   * Reads what {@link #toString} returns.
   *
   * @param member {@code name=host:port}
   * @return the member
   * @throws IllegalArgumentException if it is malformed
   */
  public static MemberAddress parse(String member) {
    int equals = member.indexOf('=');
    if (equals < 1) {
      throw malformed(member);
    }
    return new MemberAddress(
        new NodeId(member.substring(0, equals)), address(member, member.substring(equals + 1)));
  }

  /**
   * Reads an address.
   *
   * @param text {@code host:port}
   * @return the address
   * @throws IllegalArgumentException if it is malformed
   */
  public static InetSocketAddress address(String text) {
    return address(text, text);
  }

  private static InetSocketAddress address(String whole, String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || text.chars().anyMatch(MemberAddress::isNoPartOfAHost)) {
      throw malformed(whole);
    }
    return new InetSocketAddress(text.substring(0, colon), port(whole, text.substring(colon + 1)));
  }

  /** As in a list of members that is one text, or in the address of a page. */
  private static boolean isNoPartOfAHost(int each) {
    return Character.isWhitespace(each) || ",;=/<>\"".indexOf(each) >= 0;
  }

  private static IllegalArgumentException malformed(String member) {
    return new IllegalArgumentException(
        "A member is written as name=host:port, each in a separate text, not \"" + member + "\"");
  }

  private static int port(String member, String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= PORT_MAX) {
        return port;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("The port of \"" + member + "\" is not a number", e);
    }
    throw new IllegalArgumentException(
        "The port of \""
            + member
            + "\" is not from 1 to "
            + PORT_MAX
            + "; the next one is used too");
  }

  /**
   * {@return where the logs of a node are}
   *
   * @param calls where it takes calls
   */
  public static InetSocketAddress logOf(InetSocketAddress calls) {
    return new InetSocketAddress(calls.getHostString(), calls.getPort() + 1);
  }

  /**
   * {@return where a node takes calls}
   *
   * @param log where its logs are: {@code host:port}
   */
  static InetSocketAddress ofLog(String log) {
    int colon = log.lastIndexOf(':');
    return new InetSocketAddress(
        log.substring(0, colon), Integer.parseInt(log.substring(colon + 1)) - 1);
  }

  static String text(NodeId node, InetSocketAddress address) {
    return node + "=" + address.getHostString() + ":" + address.getPort();
  }

  /** {@return where its logs are, as the log knows it: {@code host:port}} */
  public String logText() {
    return address.getHostString() + ":" + (address.getPort() + 1);
  }

  @Override
  public String toString() {
    return text(node, address);
  }
}
