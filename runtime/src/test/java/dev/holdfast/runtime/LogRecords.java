package dev.holdfast.runtime;

import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The log records of the engine, with the stacks. */
public final class LogRecords implements System.Logger {

  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

  /** Waits for a message. */
  public String awaitOne() throws InterruptedException {
    return messages.take();
  }

  public boolean isEmpty() {
    return messages.isEmpty();
  }

  /** All messages, for reports. */
  @Override
  public String toString() {
    return messages.toString();
  }

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
    StringBuilder text = new StringBuilder(level + ": " + message);
    if (thrown != null) {
      text.append(": ").append(thrown);
      for (StackTraceElement frame : thrown.getStackTrace()) {
        text.append('\n').append(frame);
      }
    }
    messages.add(text.toString());
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    messages.add(level + ": " + format);
  }
}
