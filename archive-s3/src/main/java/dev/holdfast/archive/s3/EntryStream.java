package dev.holdfast.archive.s3;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The bytes of an entry. A connection that ends too early is an error here: the JDK's client takes
 * it for the end of the content.
 */
final class EntryStream extends InputStream {

  private final ResponseInputStream<GetObjectResponse> response;
  private final String name;
  private final long bytes;
  private long read;

  /**
   * Reads an answer.
   *
   * @throws IOException if the answer ended within its head; closed then
   */
  EntryStream(ResponseInputStream<GetObjectResponse> response, String name) throws IOException {
    Long length = response.response().contentLength();
    if (length == null) {
      response.abort();
      throw new IOException("Cannot read " + name + ": the answer has no length");
    }
    this.response = response;
    this.name = name;
    this.bytes = length;
  }

  /** {@return the metadata of the entry} */
  Map<String, String> metadata() {
    return response.response().metadata();
  }

  /**
   * Reads the first byte, if the entry has one.
   *
   * @throws IOException if it does not come
   */
  void begin() throws IOException {
    if (bytes > 0) {
      skipNBytes(1);
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count;
    try {
      count = response.read(target, offset, length);
    } catch (IOException | SdkException e) { // the latter if a checksum differs
      throw new IOException("Cannot read " + name + ": " + e.getMessage(), e);
    }
    if (count < 0 && read < bytes) {
      throw new IOException(
          "Cannot read " + name + ": the connection ended after " + read + " of " + bytes);
    }
    read += Math.max(count, 0);
    return count;
  }

  @Override
  public void close() throws IOException {
    if (read < bytes) {
      response.abort(); // close() would read the rest
    } else {
      response.close();
    }
  }
}
