/** Earlier states of a database. */
@NullMarked
package dev.holdfast.backend.sqlite.past;

import org.jspecify.annotations.NullMarked;
