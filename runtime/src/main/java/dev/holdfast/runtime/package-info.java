/**
 * The engine, put together: {@link dev.holdfast.runtime.EngineBuilder} takes a journal, storage
 * backends, time and threads, and makes a runtime of them. Applications use {@code
 * dev.holdfast.embedded.Holdfast}, which does that for them.
 */
@NullMarked
package dev.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
