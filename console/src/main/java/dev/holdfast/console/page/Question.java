package dev.holdfast.console.page;

import java.util.Map;

/**
 * Asks before something is changed. Immutable.
 *
 * @param frame what surrounds it
 * @param action the change
 * @param address which object
 * @param fields what the form sends back
 */
public record Question(
    PageFrame frame, ObjectAction action, OneObject.Address address, Map<String, String> fields) {}
