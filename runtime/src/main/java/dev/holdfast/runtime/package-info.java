/**
 * Assembles the engine: {@link dev.holdfast.runtime.EngineBuilder} builds a runtime from a journal,
 * storage backends, a clock and threads. Applications use {@code dev.holdfast.embedded.Holdfast},
 * which does this for them.
 */
@NullMarked
package dev.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
