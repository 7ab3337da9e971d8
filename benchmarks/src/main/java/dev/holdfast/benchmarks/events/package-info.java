/** What events and the purge of an object's history cost. */
@NullMarked
package dev.holdfast.benchmarks.events;

import org.jspecify.annotations.NullMarked;
