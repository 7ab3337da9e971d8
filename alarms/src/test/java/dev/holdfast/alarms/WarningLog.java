package dev.holdfast.alarms;

import java.util.List;
import java.util.ResourceBundle;

/**
 * Collects warnings.
 *
 * @param warnings receives the warnings; thread-safe
 */
record WarningLog(List<String> warnings) implements System.Logger {

  @Override
  public String getName() {
    return "test";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    if (level == Level.WARNING) {
      warnings.add(message + " " + thrown);
    }
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    log(level, bundle, format, (Throwable) null);
  }
}
