/**
 * What an application sees of Holdfast: the runtime, its namespaces, stubs, the context of an
 * object, and errors. Storage is in {@link dev.holdfast.storage}, SQL in {@link dev.holdfast.sql}.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
