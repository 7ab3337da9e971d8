package dev.holdfast.http.object;

import java.util.List;

/**
 * A request to an object of a zone that is refused: what was asked is wrong, missing or over a
 * quota. The object has written nothing, except where its method says otherwise.
 */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  @SuppressWarnings("serial") // the lists that are made here can be written
  private final List<RefusalDetail> refusals;

  /** The kinds of refusals. */
  public enum Kind {
    /** What was asked is wrong, or the zone does not allow it. */
    INVALID,
    /** What was asked for does not exist. */
    NOT_FOUND,
    /** What was asked for existed until the zone migrated. */
    GONE
  }

  /**
   * Creates an exception.
   *
   * @param kind the kind
   * @param refusals the reasons, at least one
   */
  public RefusedException(Kind kind, List<RefusalDetail> refusals) {
    // An answer, not a defect: the stack trace is never read, and filling it costs more than the
    // request.
    super(refusals.getFirst().message(), null, false, false);
    this.kind = kind;
    this.refusals = List.copyOf(refusals);
  }

  /**
   * Creates an exception for something invalid.
   *
   * @param refusals the reasons, at least one
   */
  public RefusedException(RefusalDetail... refusals) {
    this(Kind.INVALID, List.of(refusals));
  }

  /** {@return the kind} */
  public Kind kind() {
    return kind;
  }

  /** {@return the reasons} */
  public List<RefusalDetail> refusals() {
    return refusals;
  }

  /**
   * {@return the same for a value within another one}
   *
   * @param place the place of that value, as a JSON pointer
   */
  public RefusedException within(String place) {
    return new RefusedException(
        kind, refusals.stream().map(refusal -> refusal.at(place + refusal.place())).toList());
  }

  /**
   * {@return the refusal of a document that is not the expected JSON}
   *
   * @param reason the reason
   * @param place the place in the document
   */
  public static RefusedException invalidJson(String reason, String place) {
    return wrong(10002, "invalid JSON: " + reason, place);
  }

  /**
   * {@return the refusal of a value}
   *
   * @param code 1000 or more
   * @param message what is wrong
   * @param place the place of the value
   */
  public static RefusedException wrong(int code, String message, String place) {
    return new RefusedException(new RefusalDetail(code, message).at(place));
  }

  /**
   * {@return the refusal of a parameter of a search that is out of its range}
   *
   * @param name the parameter
   * @param rule what it must be
   */
  public static RefusedException badParameter(String name, String rule) {
    return new RefusedException(new RefusalDetail(10004, name + " must be " + rule));
  }

  /**
   * {@return the refusal of an item that does not exist}
   *
   * @param message names the item
   */
  public static RefusedException notFound(String message) {
    return notFound(10001, message);
  }

  /**
   * {@return the refusal of an item that does not exist}
   *
   * @param code 1000 or more
   * @param message names the item
   */
  public static RefusedException notFound(int code, String message) {
    return new RefusedException(Kind.NOT_FOUND, List.of(new RefusalDetail(code, message)));
  }
}
