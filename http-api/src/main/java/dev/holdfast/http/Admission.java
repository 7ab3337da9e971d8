package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.util.function.Function;

/** What becomes of a request, as far as it can be said without its body. */
sealed interface Admission {

  /** Its body is not needed. */
  record Answered(ApiResponse response) implements Admission {}

  /**
   * It may be sent.
   *
   * @param holder for whom its body is held: what one may hold is bounded
   * @param bodyBytesMax how long its body may be
   * @param answer makes the answer from the body
   */
  record Admitted(String holder, int bodyBytesMax, Function<ByteBuffer, ApiResponse> answer)
      implements Admission {}
}
