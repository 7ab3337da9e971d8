package dev.holdfast.http.object;

import java.io.Serializable;

/**
 * A reason for which a zone refuses a request. Immutable.
 *
 * @param code the code that clients know, 1000 or more
 * @param message what is wrong
 * @param place the place of the value that is wrong, as a JSON pointer; empty if there is none
 * @param about the kind of the item that helps the caller go on, such as {@code filter}; empty if
 *     there is none
 * @param aboutId the id of that item; empty if there is none
 */
public record RefusalDetail(int code, String message, String place, String about, String aboutId)
    implements Serializable {

  /**
   * Creates a plain reason.
   *
   * @param code the code that clients know
   * @param message what is wrong
   */
  public RefusalDetail(int code, String message) {
    this(code, message, "", "", "");
  }

  /**
   * {@return this reason with a place}
   *
   * @param where a JSON pointer
   */
  public RefusalDetail at(String where) {
    return new RefusalDetail(code, message, where, about, aboutId);
  }

  /**
   * {@return this reason with an item}
   *
   * @param kind the kind of the item
   * @param id its id
   */
  public RefusalDetail about(String kind, String id) {
    return new RefusalDetail(code, message, place, kind, id);
  }
}
