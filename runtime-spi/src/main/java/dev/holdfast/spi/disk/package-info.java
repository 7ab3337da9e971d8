/**
 * The file system as durability sees it: which operations make what survive a power cut. A seam, so
 * that tests can cut the power between any two steps.
 */
@NullMarked
package dev.holdfast.spi.disk;

import org.jspecify.annotations.NullMarked;
