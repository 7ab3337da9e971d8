/**
 * A runtime that a test controls: its clock, its disk, its crashes, and the order in which its
 * threads run. Needs no test library.
 */
@NullMarked
package dev.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
