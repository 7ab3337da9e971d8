package dev.holdfast.http.server.internal;

import java.io.IOException;

/** Answers requests. Thread-safe. */
public interface RequestHandler {

  /**
   * Answers a request.
   *
   * @param head the request
   * @param body its body, which need not be read
   * @param client the address of the client
   * @return the answer
   * @throws IOException if the body cannot be read; if it is a {@link RefusedRequestException},
   *     {@link #refuse} gives the answer, otherwise the client is gone
   */
  Reply answer(RequestHead head, RequestBody body, String client) throws IOException;

  /**
   * Answers a request that cannot be read.
   *
   * @param refused the reason
   * @param request method and path, if they could be read; otherwise "- -"
   * @param client the address of the client
   * @return the answer
   */
  Reply refuse(RefusedRequestException refused, String request, String client);
}
