/**
 * Small host applications behind the launcher, and the errors they have in common.
 *
 * <p>{@code ledger} is the one to read; {@code demo} kills it and counts its money; {@code crash}
 * kills a process that does everything at once; {@code process} starts and kills; {@code launcher}
 * is the command line.
 */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
