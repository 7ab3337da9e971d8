package dev.holdfast.simulation;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** The log of runtimes that crash thousands of times, on purpose. */
final class Silence implements System.Logger {

  @Override
  public String getName() {
    return "dev.holdfast.simulation";
  }

  @Override
  public boolean isLoggable(Level level) {
    return false;
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable e) {}

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object @Nullable ... parameters) {}
}
