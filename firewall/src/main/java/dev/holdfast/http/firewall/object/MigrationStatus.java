package dev.holdfast.http.firewall.object;

/**
 * How a zone stands in its migration. Immutable.
 *
 * @param state the state
 * @param isCompatible whether it could be migrated now
 * @param isPreviousEnabled whether the previous managed rules are switched on
 */
public record MigrationStatus(
    MigrationState state, boolean isCompatible, boolean isPreviousEnabled) {}
