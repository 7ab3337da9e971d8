package dev.holdfast.console.page;

import org.jspecify.annotations.Nullable;

/**
 * Asks before something is changed. Immutable.
 *
 * @param frame what surrounds it
 * @param action the change
 * @param address which object
 * @param bookmark the state to take; null for a change that takes none
 */
public record Question(
    PageFrame frame, ObjectAction action, OneObject.Address address, @Nullable String bookmark) {}
