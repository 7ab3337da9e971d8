package dev.holdfast.contract;

import org.jspecify.annotations.Nullable;

/**
 * One step of a random program. Every step is possible in every state, so that a failing program
 * can be cut down to the few steps that matter. Steps of an object begin a turn if none is open.
 */
sealed interface ProgramStep {

  /** Stores {@code size} bytes that begin with a number. */
  record Put(int object, String key, int number, int size) implements ProgramStep {}

  record Get(int object, String key) implements ProgramStep {}

  record Delete(int object, String key) implements ProgramStep {}

  record DeleteAll(int object) implements ProgramStep {}

  /** Reads a range; the bounds are bytes in hexadecimal digits, null for none. */
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

  /** Kills the process; of the records that were not durable a part has reached the disk. */
  record Crash(int keptPercent) implements ProgramStep {}

  /** Closes and opens the process in order. */
  record Reopen() implements ProgramStep {}

  /** Lets the view checkpoint, and the journal forget what is not needed. */
  record Trim() implements ProgramStep {}
}
