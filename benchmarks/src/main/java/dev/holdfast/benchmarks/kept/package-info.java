/** What keeping data safe costs: backup, archive, restore, verify and inspect. */
@NullMarked
package dev.holdfast.benchmarks.kept;

import org.jspecify.annotations.NullMarked;
