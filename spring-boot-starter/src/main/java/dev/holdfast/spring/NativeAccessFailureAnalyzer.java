package dev.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when Java denies native access to SQLite or RocksDB. */
final class NativeAccessFailureAnalyzer extends AbstractFailureAnalyzer<IllegalCallerException> {

  /** For Spring. */
  NativeAccessFailureAnalyzer() {}

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable failure, IllegalCallerException cause) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each.getClass().getName().startsWith("dev.holdfast.")) {
        return new FailureAnalysis(
            "Java denies native access to the storage engines of Holdfast: " + cause.getMessage(),
            "Start Java with --enable-native-access=ALL-UNNAMED, or add \"Enable-Native-Access:"
                + " ALL-UNNAMED\" to the manifest of the application's jar.",
            cause);
      }
    }
    return null;
  }
}
