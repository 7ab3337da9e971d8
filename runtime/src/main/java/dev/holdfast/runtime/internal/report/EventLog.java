package dev.holdfast.runtime.internal.report;

import dev.holdfast.TimeSource;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a runtime to its log: events of {@link LogEvent}, which have stable names,
 * and failures that no caller receives. Of an event that can strike ten thousand objects at once,
 * only a few lines are written for each namespace and minute. The last line of a minute says that
 * further ones are only counted. The next line says how many there were. Thread-safe.
 */
public final class EventLog {

  private final System.Logger log;
  private final TimeSource time;

  /**
   * By event and namespace. Neither this map nor a window uses a monitor: ten thousand instances
   * may be reset at once, each by a virtual thread.
   */
  private final ConcurrentSkipListMap<String, Window> windows = new ConcurrentSkipListMap<>();

  /** The current minute of one event in one namespace. Guarded by its lock. */
  private static final class Window {
    final ReentrantLock lock = new ReentrantLock();
    long beginNanos;
    int logged;
    long suppressed;
  }

  /**
   * Creates a log.
   *
   * @param log the logger
   * @param time the clock of the minutes
   */
  public EventLog(System.Logger log, TimeSource time) {
    this.log = log;
    this.time = time;
  }

  /**
   * Reports what no caller learns and what has no name.
   *
   * @param message what happened
   * @param cause why, or where
   */
  public void warn(String message, @Nullable Throwable cause) {
    report(() -> log.log(System.Logger.Level.WARNING, message, cause));
  }

  /**
   * Reports what matters only to someone who looks for a fault in object code.
   *
   * @param message what happened
   * @param cause why, or where
   */
  public void note(String message, Throwable cause) {
    report(() -> log.log(System.Logger.Level.DEBUG, message, cause));
  }

  /** A logger is code of the application: what it throws must not end the engine's work midway. */
  private static void report(Runnable record) {
    try {
      record.run();
    } catch (OutOfMemoryError e) {
      throw e; // the engine may have no memory either
    } catch (RuntimeException | Error e) {
      // There is no other place to report it.
    }
  }

  /**
   * Logs an event of the whole runtime.
   *
   * @param event what happened
   * @param text the rest of the line
   * @param cause why, or where
   */
  public void log(LogEvent event, String text, @Nullable Throwable cause) {
    report(() -> log.log(event.level(), event.line(text), cause));
  }

  /**
   * Logs an event of an object, or counts it.
   *
   * @param event what happened
   * @param object the object
   * @param text the rest of the line, which names the object; asked only if it is logged
   * @param cause why, or where
   */
  public void log(
      LogEvent event, ObjectKey object, Supplier<String> text, @Nullable Throwable cause) {
    report(
        () -> {
          if (!log.isLoggable(event.level())) {
            return;
          }
          String suffix = suffixUnlessSuppressed(event, object.namespace());
          if (suffix != null) {
            log.log(event.level(), event.line(text.get()) + suffix, cause);
          }
        });
  }

  private @Nullable String suffixUnlessSuppressed(LogEvent event, String namespace) {
    long now = time.monotonicNanos();
    int max = event.perMinuteMax();
    Window window = windows.computeIfAbsent(event.code() + "/" + namespace, _ -> new Window());
    window.lock.lock();
    try {
      if (window.logged > 0 && now - window.beginNanos >= RuntimeBounds.LOG_WINDOW_NANOS) {
        window.logged = 0;
      }
      if (window.logged == max) {
        window.suppressed++;
        return null;
      }
      if (window.logged == 0) {
        window.beginNanos = now;
      }
      window.logged++;
      String suffix = "";
      if (window.suppressed > 0) {
        suffix = " " + window.suppressed + " earlier events in this namespace were not logged.";
        window.suppressed = 0;
      }
      return window.logged < max
          ? suffix
          : suffix + " Further events in this namespace are only counted for up to a minute.";
    } finally {
      window.lock.unlock();
    }
  }
}
