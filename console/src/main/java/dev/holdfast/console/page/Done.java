package dev.holdfast.console.page;

import org.jspecify.annotations.Nullable;

/**
 * What a change has done. Immutable.
 *
 * @param frame what surrounds it
 * @param action the change
 * @param address which object
 * @param result a sentence
 * @param undo the state whose restore undoes the change; null if there is none
 */
public record Done(
    PageFrame frame,
    ObjectAction action,
    OneObject.Address address,
    String result,
    @Nullable String undo) {}
