package dev.holdfast.spi;

import java.lang.System.Logger.Level;

/**
 * What a runtime reports in its log, {@code dev.holdfast}, by a name that never changes: each line
 * begins with the code of its event. {@code docs/operations/logs.md} lists them with what to do.
 *
 * <p>A line names objects, files and numbers. It has no value that an object stores and no
 * parameter of a SQL statement.
 */
public enum LogEvent {
  /** A runtime takes calls. */
  RUNTIME_OPENED("runtime-opened", Level.INFO),
  /** A runtime was closed. */
  RUNTIME_CLOSED("runtime-closed", Level.INFO),
  /** A namespace has data and is not registered. */
  NAMESPACE_MISSING("namespace-missing", Level.WARNING),
  /** An object has come into being, and another one has its name. */
  NAME_SHARED("name-shared", Level.WARNING, 10),
  /** The journal has failed; the runtime refuses calls. */
  JOURNAL_FAILED("journal-failed", Level.ERROR),
  /** This node of a cluster has a shard now; its runtime takes calls. */
  OWNERSHIP_BEGAN("ownership-began", Level.INFO),
  /** Another node of a cluster has the shard now; the runtime of this one refuses calls. */
  OWNERSHIP_ENDED("ownership-ended", Level.INFO),
  /** A node of a cluster has known no owner of a shard for long. */
  SHARD_WITHOUT_OWNER("shard-without-owner", Level.WARNING),
  /** An unexpected error struck in the engine's own work; the runtime refuses calls. */
  ENGINE_FAILED("engine-failed", Level.ERROR),
  /** The disk makes nothing durable. */
  JOURNAL_STALLED("journal-stalled", Level.WARNING),
  /** The disk makes records durable again. */
  JOURNAL_RESUMED("journal-resumed", Level.INFO),
  /** History was dropped within the recovery window, because it takes more room than it may. */
  HISTORY_DROPPED("history-dropped", Level.WARNING, 1),
  /** History is dropped within the recovery window in a day, at the present rate. */
  HISTORY_SHORT("history-short", Level.WARNING),
  /** A requested restore was given up at the opening, because its history is not there. */
  RESTORE_WITHDRAWN("restore-withdrawn", Level.WARNING),
  /** Objects wait too long for the save of their files. */
  SAVE_LATE("save-late", Level.WARNING),
  /** A turn runs for long. */
  TURN_SLOW("turn-slow", Level.WARNING, 10),
  /** An instance was reset because its code or its storage failed. */
  OBJECT_FAILED("object-failed", Level.WARNING, 10),
  /** An instance was reset because that was asked for, or because the runtime ends. */
  OBJECT_RESET("object-reset", Level.INFO, 10),
  /** The handler of an alarm failed, with a retry to follow. */
  ALARM_FAILED("alarm-failed", Level.WARNING, 10),
  /** The handler of an alarm failed, without a further retry. */
  ALARM_GIVEN_UP("alarm-given-up", Level.WARNING, 10),
  /** An alarm was due, and its object has no handler any more. */
  ALARM_DROPPED("alarm-dropped", Level.WARNING, 10),
  /** A timer failed. */
  TIMER_FAILED("timer-failed", Level.WARNING, 10),
  /** A task failed with no caller waiting for its result. */
  TASK_FAILED("task-failed", Level.WARNING, 10),
  /**
   * An asynchronous call failed with no caller waiting for its result; a caller may still read it
   * later.
   */
  CALL_FAILED("call-failed", Level.WARNING, 1),
  /** An action that follows a durable turn has failed; it is not repeated. */
  ACTION_FAILED("action-failed", Level.WARNING, 10),
  /** The handler of a consumer of events has failed, with a retry to follow. */
  CONSUMER_FAILED("consumer-failed", Level.WARNING, 10),
  /** Events that a consumer has not handled are no longer kept. */
  CONSUMER_CUT_OFF("consumer-cut-off", Level.WARNING),
  /** An operator has asked for an operation through the socket. */
  OPERATOR_REQUEST("operator-request", Level.INFO),
  /** A backup is complete. */
  BACKUP_MADE("backup-made", Level.INFO),
  /** A backup was not made. */
  BACKUP_FAILED("backup-failed", Level.WARNING),
  /** Records wait too long to be archived. */
  ARCHIVE_LATE("archive-late", Level.WARNING),
  /** The archive is no longer late. */
  ARCHIVE_RESUMED("archive-resumed", Level.INFO),
  /** The archive was stopped by another runtime, or belongs to another journal. */
  ARCHIVE_STOPPED("archive-stopped", Level.ERROR),
  /** More is not archived than the journal keeps for the archive. */
  ARCHIVE_BOUND("archive-bound", Level.WARNING),
  /** Records that were not archived are gone. */
  ARCHIVE_GAP("archive-gap", Level.WARNING),
  /** After a gap, the archive goes on with a base image. */
  ARCHIVE_RESTARTED("archive-restarted", Level.WARNING),
  /** The files of a base image could not be copied. */
  ARCHIVE_IMAGE_FAILED("archive-image-failed", Level.WARNING);

  private final String code;
  private final Level level;
  private final int perMinuteMax;

  LogEvent(String code, Level level) {
    this(code, level, Integer.MAX_VALUE);
  }

  LogEvent(String code, Level level, int perMinuteMax) {
    this.code = code;
    this.level = level;
    this.perMinuteMax = perMinuteMax;
  }

  /** {@return the stable name of the event, with which its lines begin} */
  public String code() {
    return code;
  }

  /** {@return the level of its lines} */
  public Level level() {
    return level;
  }

  /** {@return the maximum number of its lines in one minute for one namespace} */
  public int perMinuteMax() {
    return perMinuteMax;
  }

  /**
   * {@return a line of the log}
   *
   * @param text what happened, with which object or file, and what follows from it
   */
  public String line(String text) {
    return code + ": " + text;
  }
}
