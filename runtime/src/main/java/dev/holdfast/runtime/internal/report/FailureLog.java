package dev.holdfast.runtime.internal.report;

import dev.holdfast.TimeSource;
import dev.holdfast.runtime.internal.RuntimeBounds;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Logs failures of object code that no caller receives, at most a few for each kind, namespace and
 * minute: what fails for one object often fails for ten thousand. The last message of a minute says
 * that further failures are only counted. The next message says how many there were. Thread-safe.
 */
public final class FailureLog {

  /** What failed. */
  public enum Kind {
    /** The handler of an alarm, with a retry to follow. */
    ALARM(10),
    /** The handler of an alarm, without a further retry. */
    ALARM_GIVEN_UP(10),
    /** A timer. */
    TIMER(10),
    /** A task with no caller waiting for its result. */
    TASK(10),
    /**
     * An asynchronous call with no caller waiting for its result; a caller may still read it later.
     */
    CALL(1);

    private final int perMinuteMax;

    Kind(int perMinuteMax) {
      this.perMinuteMax = perMinuteMax;
    }
  }

  private final System.Logger log;
  private final TimeSource time;
  private final ConcurrentHashMap<Subject, Window> windows = new ConcurrentHashMap<>();

  private record Subject(Kind kind, String namespace) {}

  /** The current minute of one subject. Guarded by itself. */
  private static final class Window {
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
  public FailureLog(System.Logger log, TimeSource time) {
    this.log = log;
    this.time = time;
  }

  /**
   * Reports what no caller learns.
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
   * Logs a failure as a warning, or counts it.
   *
   * @param kind what failed
   * @param namespace of the object
   * @param message the text, which names the object
   * @param failure the cause
   */
  public void warn(Kind kind, String namespace, String message, Throwable failure) {
    report(
        () -> {
          String suffix = suffixUnlessSuppressed(new Subject(kind, namespace));
          if (suffix != null) {
            log.log(System.Logger.Level.WARNING, message + suffix, failure);
          }
        });
  }

  private @Nullable String suffixUnlessSuppressed(Subject subject) {
    long now = time.monotonicNanos();
    int max = subject.kind().perMinuteMax;
    Window window = windows.computeIfAbsent(subject, _ -> new Window());
    synchronized (window) {
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
        suffix = " " + window.suppressed + " earlier failures in this namespace were not logged.";
        window.suppressed = 0;
      }
      return window.logged < max
          ? suffix
          : suffix + " Further failures in this namespace are only counted for up to a minute.";
    }
  }
}
