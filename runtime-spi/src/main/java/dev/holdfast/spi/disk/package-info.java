/**
 * The file system with explicit durability: which operations make which changes survive a power
 * cut. An interface, so that tests can cut the power between any two steps.
 */
@NullMarked
package dev.holdfast.spi.disk;

import org.jspecify.annotations.NullMarked;
