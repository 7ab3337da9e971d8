package dev.holdfast.backend.sqlite.words;

/**
 * A statement's setting of a switch of its connection.
 *
 * @param name of the switch, in lower case
 * @param isOff whether it is off then
 */
public record SwitchSet(String name, boolean isOff) {}
