package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.util.function.Function;

/** The decision about a request that is possible without its body. */
sealed interface Admission {

  /** The request is answered without its body. */
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
