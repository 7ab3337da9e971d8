package dev.holdfast.console.page;

/** A page that cannot be shown, with a sentence for the person. */
public final class PageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * Creates the exception.
   *
   * @param status the status of HTTP
   * @param sentence what happened and what to do
   */
  public PageException(int status, String sentence) {
    super(sentence);
    this.status = status;
  }

  /** {@return the status of HTTP} */
  public int status() {
    return status;
  }
}
