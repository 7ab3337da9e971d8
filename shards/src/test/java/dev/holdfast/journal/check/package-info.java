/** Tests of the checks of journals. */
@NullMarked
package dev.holdfast.journal.check;

import org.jspecify.annotations.NullMarked;
