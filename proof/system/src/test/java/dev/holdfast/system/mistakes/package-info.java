/**
 * Mistakes that users make, and the message of each: what happened, with which object, and what to
 * do. All messages are in {@code mistakes.txt} among the test resources.
 */
@NullMarked
package dev.holdfast.system.mistakes;

import org.jspecify.annotations.NullMarked;
