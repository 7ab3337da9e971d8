package dev.holdfast.system.mistakes;

import dev.holdfast.spi.LogEvent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the lines of one event from the log, which other handlers do not see meanwhile. */
final class LogLines extends Handler implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  private final LogEvent event;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final CompletableFuture<String> first = new CompletableFuture<>();

  private LogLines(LogEvent event) {
    this.event = event;
  }

  static LogLines of(LogEvent event) {
    LogLines lines = new LogLines(event);
    LOG.setUseParentHandlers(false);
    LOG.addHandler(lines);
    return lines;
  }

  /** {@return the lines so far, with their exceptions} */
  List<String> lines() {
    return lines;
  }

  /** {@return the first line, when it is there} */
  CompletableFuture<String> first() {
    return first;
  }

  @Override
  public void publish(LogRecord line) {
    if (line.getMessage().startsWith(event.code() + ":")) {
      Throwable thrown = line.getThrown();
      String text =
          line.getLevel()
              + " "
              + line.getMessage()
              + (thrown == null ? "" : "\nbecause of " + FailureText.of(thrown));
      lines.add(text);
      first.complete(text);
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    LOG.removeHandler(this);
    LOG.setUseParentHandlers(true);
  }
}
