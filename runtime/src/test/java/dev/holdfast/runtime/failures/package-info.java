/** What fails: stack, memory, the journal, and the engine itself. */
@NullMarked
package dev.holdfast.runtime.failures;

import org.jspecify.annotations.NullMarked;
