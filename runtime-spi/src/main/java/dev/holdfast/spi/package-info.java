/**
 * The interfaces that the engine depends on: the {@link dev.holdfast.spi.Journal}, which makes
 * batches durable, and storage backends, which are views of it and are repaired from it. {@code
 * StorageThreads} runs calls of storage that block. This package is for authors of backends;
 * applications do not use it.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
