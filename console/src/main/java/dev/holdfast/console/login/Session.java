package dev.holdfast.console.login;

/**
 * A person in the console. Immutable.
 *
 * @param mayChange whether the person may change objects
 * @param form a secret that each form of the session sends back: other sites cannot know it
 */
public record Session(boolean mayChange, String form) {}
