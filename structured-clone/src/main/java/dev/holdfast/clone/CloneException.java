package dev.holdfast.clone;

import java.io.Serial;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a Java value cannot be represented in the format, or a value read is not of the
 * requested Java type.
 *
 * <p>The message states the problem, the class, the {@link #path()}, and what to do. Nothing has
 * been written when this exception is thrown.
 */
public final class CloneException extends StructuredCloneException {

  @Serial private static final long serialVersionUID = 1L;

  /** Segments kept at each end of a path; a path into a hostile value has thousands. */
  private static final int SEGMENTS_SHOWN_EACH_END = 16;

  /** The segments, innermost first: they are added while the exception unwinds. */
  private final ArrayList<String> segments = new ArrayList<>();

  private final String reason;
  private final @Nullable Class<?> offendingClass;

  /**
   * Creates an exception.
   *
   * @param reason the reason, without the path
   * @param offendingClass see {@link #offendingClass()}
   */
  public CloneException(String reason, @Nullable Class<?> offendingClass) {
    this(reason, offendingClass, null);
  }

  /**
   * Creates an exception with a cause.
   *
   * @param reason the reason, without the path
   * @param offendingClass see {@link #offendingClass()}
   * @param cause the cause; null if there is none
   */
  public CloneException(
      String reason, @Nullable Class<?> offendingClass, @Nullable Throwable cause) {
    super(reason, cause);
    this.reason = reason;
    this.offendingClass = offendingClass;
  }

  /**
   * Adds the segment of the container through which the exception propagates, outside of those that
   * it has.
   *
   * @param segment such as {@code .items} or {@code [3]}
   * @return this
   */
  public CloneException within(String segment) {
    segments.add(segment);
    return this;
  }

  /**
   * Returns the path of the failure in the value, from the root, such as {@code $.items[3].owner}.
   * The middle of a path of more than 32 segments is omitted.
   *
   * @return the path; {@code $} is the value itself
   */
  public String path() {
    StringBuilder path = new StringBuilder("$");
    int count = segments.size();
    for (int i = count - 1; i >= 0; i--) {
      if (i >= SEGMENTS_SHOWN_EACH_END && i < count - SEGMENTS_SHOWN_EACH_END) {
        path.append("...");
        i = SEGMENTS_SHOWN_EACH_END;
      } else {
        path.append(segments.get(i));
      }
    }
    return path.toString();
  }

  /**
   * Returns the class of the value that cannot be written or copied, or the requested class that
   * does not match the value read.
   *
   * @return the class; null if the fault does not concern a class, such as too deep nesting
   */
  public @Nullable Class<?> offendingClass() {
    return offendingClass;
  }

  /**
   * Returns the reason.
   *
   * @return the reason, without the path
   */
  public String reason() {
    return reason;
  }

  /**
   * Returns the reason with the path.
   *
   * @return the message
   */
  @Override
  public String getMessage() {
    return path() + ": " + reason;
  }
}
