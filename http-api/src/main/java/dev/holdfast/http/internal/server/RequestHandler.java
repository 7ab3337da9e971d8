package dev.holdfast.http.internal.server;

import java.io.IOException;

/** What answers requests. Thread-safe. */
public interface RequestHandler {

  /**
   * Answers a request.
   *
   * @param head the request
   * @param body its body, which need not be read
   * @param client the address of the client
   * @return the answer
   * @throws IOException if the body cannot be read; {@link #refuse} has the answer then, if it is a
   *     {@link RefusedRequestException}, and nobody is there to be answered else
   */
  Reply answer(RequestHead head, RequestBody body, String client) throws IOException;

  /**
   * Answers a request that cannot be read.
   *
   * @param refused why
   * @param request method and path, if so much could be read; else "- -"
   * @param client the address of the client
   * @return the answer
   */
  Reply refuse(RefusedRequestException refused, String request, String client);
}
