package dev.holdfast.runtime.internal.report;

import dev.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Logs failures of object code that no caller gets, at most a few of each kind for each namespace
 * and minute: what fails for one object often fails for ten thousand. The last one of a minute says
 * that more are only counted; the first one after it says how many that were. Thread-safe.
 */
public final class FailureLog {

  /** What has failed. */
  public enum Kind {
    /** The handler of an alarm, which is tried again. */
    ALARM(10),
    /** The handler of an alarm, which is not tried again. */
    ALARM_GIVEN_UP(10),
    /** A timer. */
    TIMER(10),
    /** A strand whose result nobody waits for. */
    STRAND(10),
    /** An asynchronous call whose result nobody waits for; its caller may still look at it. */
    CALL(1);

    private final int perMinuteMax;

    Kind(int perMinuteMax) {
      this.perMinuteMax = perMinuteMax;
    }
  }

  private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

  private final System.Logger log;
  private final TimeSource time;
  private final ConcurrentHashMap<Subject, Window> windows = new ConcurrentHashMap<>();

  private record Subject(Kind kind, String namespace) {}

  /** A minute of one subject. Guarded by itself. */
  private static final class Window {
    long beginNanos;
    int logged;
    long suppressed;
  }

  /**
   * Creates a log.
   *
   * @param log where to
   * @param time the clock of the minutes
   */
  public FailureLog(System.Logger log, TimeSource time) {
    this.log = log;
    this.time = time;
  }

  /**
   * Logs a failure as a warning, or counts it.
   *
   * @param kind what has failed
   * @param namespace of the object
   * @param message names the object
   * @param failure why
   */
  public void warn(Kind kind, String namespace, String message, Throwable failure) {
    String note = noteUnlessSuppressed(new Subject(kind, namespace));
    if (note != null) {
      log.log(System.Logger.Level.WARNING, message + note, failure);
    }
  }

  private @Nullable String noteUnlessSuppressed(Subject subject) {
    long now = time.monotonicNanos();
    int max = subject.kind().perMinuteMax;
    Window window = windows.computeIfAbsent(subject, _ -> new Window());
    synchronized (window) {
      if (window.logged > 0 && now - window.beginNanos >= WINDOW_NANOS) {
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
      String note = "";
      if (window.suppressed > 0) {
        note = " Not logged before this: " + window.suppressed + " more in this namespace.";
        window.suppressed = 0;
      }
      return window.logged < max
          ? note
          : note + " More of them in this namespace are only counted for up to a minute.";
    }
  }
}
