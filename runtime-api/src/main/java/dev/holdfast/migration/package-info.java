/** Migrations of all objects of a namespace, for operators: options and report of a run. */
@NullMarked
package dev.holdfast.migration;

import org.jspecify.annotations.NullMarked;
