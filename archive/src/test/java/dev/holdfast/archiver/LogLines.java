package dev.holdfast.archiver;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines of the log from the creation to the close, which nothing else prints. Thread-safe. */
final class LogLines extends Handler {

  private final Logger log = Logger.getLogger("dev.holdfast"); // a logger that nothing holds ends
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  LogLines() {
    setLevel(Level.ALL);
    log.setLevel(Level.INFO);
    log.setUseParentHandlers(false);
    log.addHandler(this);
  }

  /** {@return the names of the events, the oldest first, each with its level} */
  List<String> events() {
    return lines.stream().map(line -> line.substring(0, line.indexOf(':'))).toList();
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    log.removeHandler(this);
    log.setUseParentHandlers(true);
    log.setLevel(null);
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}
