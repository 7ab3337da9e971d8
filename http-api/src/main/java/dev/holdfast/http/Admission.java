package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * What is decided about a request before its body is read, so that no body of an unauthorized
 * client is read or kept in memory: for hosts that read bodies themselves. Immutable.
 */
public sealed interface Admission {

  /**
   * The request is answered without its body.
   *
   * @param response the answer
   */
  record Answered(ApiResponse response) implements Admission {}

  /**
   * The body may be sent.
   *
   * @param holder the holder to which the body's memory is charged: the memory of a holder is
   *     bounded
   * @param bodyBytesMax maximum length of its body
   * @param answer computes the answer from the body
   */
  record Admitted(String holder, int bodyBytesMax, Function<ByteBuffer, ApiResponse> answer)
      implements Admission {}
}
