package dev.holdfast.http.internal;

/**
 * The bounds of the HTTP API: what clients may make it hold or do. What a single body may have is
 * in its schema in the OpenAPI document.
 */
public final class HttpBounds {

  /** The longest body of a request. */
  public static final int BODY_BYTES_MAX = 1 << 20;

  /** Parameters of a query. */
  public static final int PARAMETERS_MAX = 1_000;

  /** Segments of a path; one with more has no endpoint. */
  public static final int SEGMENTS_MAX = 12;

  private HttpBounds() {}
}
