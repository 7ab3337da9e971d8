package dev.holdfast.clone;

import java.io.Serial;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A Java value has no place in the format, or a value read is not of the Java type asked for.
 *
 * <p>The message says what is wrong with which class at which {@link #path()}, and what to do.
 * Nothing has been written when it is thrown.
 */
public final class CloneException extends StructuredCloneException {

  @Serial private static final long serialVersionUID = 1L;

  /** Segments kept of each end of a path; one into a hostile value has thousands. */
  private static final int SEGMENTS_SHOWN_EACH_END = 16;

  /** From the innermost segment outwards: they are added while the failure unwinds. */
  private final ArrayList<String> segments = new ArrayList<>();

  private final String reason;
  private final @Nullable Class<?> offendingClass;

  CloneException(String reason, @Nullable Class<?> offendingClass) {
    this(reason, offendingClass, null);
  }

  CloneException(String reason, @Nullable Class<?> offendingClass, @Nullable Throwable cause) {
    super(reason, cause);
    this.reason = reason;
    this.offendingClass = offendingClass;
  }

  /**
   * Adds the segment of the container that the failure passes on its way out.
   *
   * @return this
   */
  CloneException within(String segment) {
    segments.add(segment);
    return this;
  }

  /**
   * Returns where in the value the failure is, from the root, such as {@code $.items[3].owner}. The
   * middle of a path of more than 32 segments is left out.
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
   * Returns the class of the value that cannot be written or copied, or the class asked for that
   * the value read is not.
   *
   * @return the class; null where the fault is not one of a class, such as a nesting too deep
   */
  public @Nullable Class<?> offendingClass() {
    return offendingClass;
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
