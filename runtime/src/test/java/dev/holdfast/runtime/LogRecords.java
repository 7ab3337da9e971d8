package dev.holdfast.runtime;

import dev.holdfast.spi.LogEvent;
import java.util.List;
import java.util.Queue;
import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The log records of the engine, with the stacks; those that report no trouble apart. */
public final class LogRecords implements System.Logger {

  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final Queue<String> events = new ConcurrentLinkedQueue<>();

  /** {@return the records of one event, the oldest first} */
  public List<String> of(LogEvent event) {
    String begin = event.level() + ": " + event.code() + ": ";
    return events.stream().filter(each -> each.startsWith(begin)).toList();
  }

  /** Waits for a record of trouble that no caller has received. */
  public String awaitOne() throws InterruptedException {
    return messages.take();
  }

  public boolean isEmpty() {
    return messages.isEmpty();
  }

  /** All records of trouble, for reports. */
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
    add(level, text.toString());
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    add(level, level + ": " + format);
  }

  private void add(Level level, String record) {
    events.add(record);
    if (level.compareTo(Level.WARNING) >= 0 && !record.contains(LogEvent.OBJECT_FAILED.code())) {
      messages.add(record);
    }
  }
}
