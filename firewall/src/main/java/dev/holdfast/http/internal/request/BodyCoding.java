package dev.holdfast.http.internal.request;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/** Decodes a body, or its beginning. */
public final class BodyCoding {

  /**
   * A decoded body.
   *
   * @param bytes the body, or its beginning
   * @param isCut whether the body is longer
   * @param isCoded whether it had a coding
   */
  public record Decoded(ByteBuffer bytes, boolean isCut, boolean isCoded) {}

  private BodyCoding() {}

  /**
   * Decodes a body.
   *
   * @param coding the value of the header {@code Content-Encoding}
   * @param body the body, or its beginning
   * @param isCut whether the body is longer
   * @param bytesMax the most bytes to decode
   * @return the decoded beginning; empty if the coding is unknown
   * @throws IOException if the body is malformed
   */
  public static Optional<Decoded> decode(
      String coding, ByteBuffer body, boolean isCut, int bytesMax) throws IOException {
    byte[] coded = new byte[body.remaining()];
    body.duplicate().get(coded);
    String name = coding.strip().toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.equals("identity")) {
      return Optional.of(new Decoded(body, isCut, false));
    }
    if (!name.equals("gzip") && !name.equals("x-gzip") && !name.equals("deflate")) {
      return Optional.empty();
    }
    if (coded.length == 0) {
      return Optional.of(new Decoded(body, isCut, false));
    }
    if (!name.equals("deflate")) {
      try (InputStream in = new GzipMembers(coded)) {
        return Optional.of(beginning(in, isCut, bytesMax));
      }
    }
    Inflater inflater = new Inflater(!isZlib(coded));
    try (InputStream in =
        new InflaterInputStream(new ByteArrayInputStream(coded), inflater, coded.length)) {
      Decoded decoded = beginning(in, isCut, bytesMax);
      if (inflater.finished() && inflater.getRemaining() > 0) {
        throw new ZipException("bytes after the end");
      }
      return Optional.of(decoded);
    } finally {
      inflater.end();
    }
  }

  private static Decoded beginning(InputStream in, boolean isCut, int bytesMax) throws IOException {
    byte[] decoded = new byte[bytesMax + 1];
    int length = 0;
    boolean isWhole = !isCut;
    try {
      for (int count = 0; count >= 0 && length < decoded.length; length += Math.max(0, count)) {
        count = in.read(decoded, length, decoded.length - length);
      }
    } catch (EOFException e) {
      // The end of a body that is cut is the end of what can be decoded.
      if (!isCut) {
        throw e;
      }
      isWhole = false;
    }
    int seen = Math.min(length, bytesMax);
    return new Decoded(
        ByteBuffer.wrap(decoded, 0, seen).slice(), !isWhole || length > bytesMax, true);
  }

  /** The coding is the format of zlib; some clients send what is within it. */
  private static boolean isZlib(byte[] coded) {
    return coded.length > 1
        && (coded[0] & 15) == 8
        && (((coded[0] & 255) << 8) | (coded[1] & 255)) % 31 == 0;
  }
}
