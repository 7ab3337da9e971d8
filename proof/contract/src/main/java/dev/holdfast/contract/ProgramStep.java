package dev.holdfast.contract;

import org.jspecify.annotations.Nullable;

/**
 * One step of a random program. Every step is possible in every state, so that a failing program
 * can be reduced to the relevant steps. Steps of an object begin a turn if none is open.
 */
sealed interface ProgramStep {

  /** Stores {@code size} bytes that begin with a number. */
  record Put(int object, String key, int number, int size) implements ProgramStep {}

  record Get(int object, String key) implements ProgramStep {}

  record Delete(int object, String key) implements ProgramStep {}

  record DeleteAll(int object) implements ProgramStep {}

  /** Reads a range; the bounds are bytes in hexadecimal, null for none. */
  record Scan(int object, @Nullable String start, @Nullable String end, boolean reverse, int limit)
      implements ProgramStep {}

  record OpenSavepoint(int object) implements ProgramStep {}

  /** Ends the innermost savepoint, if one is open. */
  record ReleaseSavepoint(int object) implements ProgramStep {}

  /** Ends the innermost savepoint, if one is open. */
  record RollbackToSavepoint(int object) implements ProgramStep {}

  /** Ends the turn, if one is open. */
  record Seal(int object) implements ProgramStep {}

  /** Ends the turn, if one is open, while the disk has no room. */
  record SealOnFullDisk(int object) implements ProgramStep {}

  record Discard(int object) implements ProgramStep {}

  /** Ends the instance; its turn is discarded. */
  record Release(int object) implements ProgramStep {}

  /** Kills the process; a part of the records that were not durable has reached the disk. */
  record Crash(int keptPercent) implements ProgramStep {}

  /** Closes and reopens the process normally. */
  record Reopen() implements ProgramStep {}

  /** Makes the view checkpoint, and the journal drop records that are not needed. */
  record Trim() implements ProgramStep {}
}
