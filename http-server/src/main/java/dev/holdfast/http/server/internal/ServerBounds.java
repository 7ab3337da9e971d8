package dev.holdfast.http.server.internal;

/** The bounds of the server: what clients, visitors and fetched servers may make it hold or do. */
public final class ServerBounds {

  /** The longest content that is fetched. */
  public static final int FETCHED_CONTENT_BYTES_MAX = 300 * 1_024;

  /** The longest head of a fetched response; the server is not trusted. */
  public static final int FETCHED_HEAD_BYTES_MAX = 32 * 1_024;

  /** Redirects that one fetch follows. */
  public static final int REDIRECTS_MAX = 3;

  /**
   * The longest refused body that is skipped, so that another request can follow on its connection.
   */
  public static final int SHORT_BODY_BYTES_MAX = 64 * 1_024;

  /** Bytes of a refused request that are still read, until the client reads the answer. */
  public static final int DISCARDED_BYTES_MAX = 8 << 20;

  /**
   * The limit for all answers together, as a multiple of the limit for bodies: answers are larger
   * than requests.
   */
  public static final int ANSWERS_TIMES_BODIES = 4;

  /** The longest answer that is not counted: about what the kernel accepts at once. */
  public static final int SHORT_ANSWER_BYTES_MAX = 16 * 1_024;

  /** The shortest answer that is compressed: a shorter one fits into a packet anyway. */
  public static final int COMPRESSED_BYTES_MIN = 1_024;

  /** The longest request line and headers together. */
  public static final int HEAD_BYTES_MAX = 64 * 1_024;

  /** The longest head that is sent on: the proxy adds the way of the request. */
  public static final int FORWARDED_HEAD_BYTES_MAX = 2 * HEAD_BYTES_MAX;

  /** The longest head of an answer: the monitor adds headers to that of the origin. */
  public static final int ANSWERED_HEAD_BYTES_MAX = 2 * HEAD_BYTES_MAX;

  /** Connections of a site at once; each additional one closes the oldest without a request. */
  public static final int SITE_CONNECTIONS_MAX = 4_096;

  /** WebSockets of a site at once; more are answered with the status 503. */
  public static final int SITE_SOCKETS_MAX = 1_024;

  private ServerBounds() {}
}
