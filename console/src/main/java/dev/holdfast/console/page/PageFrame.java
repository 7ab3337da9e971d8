package dev.holdfast.console.page;

/**
 * What surrounds a page. Immutable.
 *
 * @param base the path of the console, without a slash at its end
 * @param section the entry of the navigation that is marked
 * @param mayChange whether the person may change objects
 * @param form the secret that forms send back
 * @param isRedacted whether values are hidden
 * @param isNode whether a node of a cluster is shown
 */
public record PageFrame(
    String base,
    String section,
    boolean mayChange,
    String form,
    boolean isRedacted,
    boolean isNode) {}
