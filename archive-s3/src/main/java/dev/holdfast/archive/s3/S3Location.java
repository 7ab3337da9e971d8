package dev.holdfast.archive.s3;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place of an archive in object storage. Immutable; change with the {@code with} methods.
 *
 * @param bucket the name of the bucket, which must exist
 * @param prefix what the keys of the archive begin with, without a slash at its begin and end;
 *     empty for the whole bucket
 * @param endpoint the server; null for the one of Amazon in the region. Its buckets are addressed
 *     by path
 * @param region the region; null for the one of the environment, or {@code us-east-1} with an
 *     endpoint
 */
public record S3Location(
    String bucket, String prefix, @Nullable URI endpoint, @Nullable String region) {

  private static final Pattern TEXT = Pattern.compile("s3://([^/]+)(?:/(.*))?");
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern PREFIX = Pattern.compile("|[^/]+(/[^/]+)*");

  /**
   * Checks the names.
   *
   * @throws IllegalArgumentException if the bucket or the prefix is none, or the endpoint is not
   *     {@code http://HOST} or {@code https://HOST}
   */
  public S3Location {
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException("Not the name of a bucket: " + bucket);
    }
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "A prefix has no slash at its begin and end, and no two in a row: " + prefix);
    }
    if (endpoint != null && !isServer(endpoint)) {
      throw new IllegalArgumentException(
          "An endpoint is http://HOST or https://HOST, with a port if need be");
    }
  }

  /** Credentials in the address would be in every message, so an address with them is none. */
  private static boolean isServer(URI endpoint) {
    return ("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
        && endpoint.getHost() != null
        && endpoint.getUserInfo() == null;
  }

  /**
   * {@return the location that a text names}
   *
   * @param text {@code s3://bucket} or {@code s3://bucket/prefix}; a slash at the end is ignored
   * @throws IllegalArgumentException if it is neither
   */
  public static S3Location parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Not s3://BUCKET/PREFIX: " + text);
    }
    String prefix = matcher.group(2) == null ? "" : matcher.group(2);
    return new S3Location(
        matcher.group(1),
        prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix,
        null,
        null);
  }

  /**
   * {@return this location on another server}
   *
   * @param server its address, {@code http://HOST} or {@code https://HOST}
   * @throws IllegalArgumentException if it is neither
   */
  public S3Location withEndpoint(URI server) {
    return new S3Location(bucket, prefix, server, region);
  }

  /**
   * {@return this location in another region}
   *
   * @param name its name
   */
  public S3Location withRegion(String name) {
    return new S3Location(bucket, prefix, endpoint, name);
  }

  /** {@return {@code s3://bucket/prefix}, with the endpoint if there is one} */
  @Override
  public String toString() {
    return "s3://"
        + bucket
        + (prefix.isEmpty() ? "" : "/" + prefix)
        + (endpoint == null ? "" : " at " + endpoint);
  }
}
