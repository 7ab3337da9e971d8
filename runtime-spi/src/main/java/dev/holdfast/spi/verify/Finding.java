package dev.holdfast.spi.verify;

import dev.holdfast.spi.ObjectKey;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One place where a data directory is not as the format documents say. Immutable.
 *
 * @param severity how serious it is
 * @param kind what it is
 * @param file the file or directory
 * @param offset the byte in the file where it begins; 0 if it concerns the whole file
 * @param object the object that it concerns; null if it concerns none or many
 * @param meaning what was found, as a sentence without the file
 * @param lost what is lost by it, as a sentence; "Nothing." if nothing
 * @param remedy what to do, as a sentence
 */
public record Finding(
    Severity severity,
    FindingKind kind,
    Path file,
    long offset,
    @Nullable ObjectKey object,
    String meaning,
    String lost,
    String remedy) {

  /** What is lost by a finding that loses nothing. */
  public static final String NOTHING = "Nothing.";

  /** {@return whether it is more than a note: the exit code of a check that has one is 1} */
  public boolean counts() {
    return severity != Severity.NOTE;
  }
}
