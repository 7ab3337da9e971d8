package dev.holdfast.http.call;

/**
 * The reply of a zone. Immutable.
 *
 * @param status the HTTP status
 * @param contentType the type of the body; empty if there is none
 * @param body the body; empty if there is none
 */
public record ZoneReply(int status, String contentType, String body) {

  /** The content type of everything except exports. */
  public static final String JSON = "application/json";

  /**
   * {@return a reply with a JSON body}
   *
   * @param status the HTTP status
   * @param body JSON text
   */
  public static ZoneReply json(int status, String body) {
    return new ZoneReply(status, JSON, body);
  }

  /** {@return a reply without content} */
  public static ZoneReply noContent() {
    return new ZoneReply(204, "", "");
  }
}
