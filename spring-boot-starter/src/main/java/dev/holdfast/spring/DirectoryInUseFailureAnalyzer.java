package dev.holdfast.spring;

import dev.holdfast.DirectoryInUseException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when another process has the data directory open. */
final class DirectoryInUseFailureAnalyzer extends AbstractFailureAnalyzer<DirectoryInUseException> {

  /** For Spring. */
  DirectoryInUseFailureAnalyzer() {}

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable failure, DirectoryInUseException cause) {
    return new FailureAnalysis(
        cause.getMessage(),
        "End the other process, or set holdfast.directory to another directory. In tests, each"
            + " context has a separate directory unless holdfast.directory is set.",
        cause);
  }
}
