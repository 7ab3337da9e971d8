package dev.holdfast.faults;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** Takes no lines: messages of hundreds of power cuts would fill the log of the tests. */
public final class SilentLog implements System.Logger {

  /** Creates the log. */
  public SilentLog() {}

  @Override
  public String getName() {
    return "silent";
  }

  @Override
  public boolean isLoggable(Level level) {
    return false;
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, String text, @Nullable Throwable thrown) {}

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {}
}
