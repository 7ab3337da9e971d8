package dev.holdfast.backend.sqlite.sql;

/**
 * What SQLite makes of a statement that may be run.
 *
 * @param writes whether it may change the database
 * @param meter knows how many rows it reads and writes
 */
public record StatementPlan(boolean writes, ProgramMeter meter) {}
