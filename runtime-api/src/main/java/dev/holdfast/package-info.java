/** Durable objects: runtime, namespaces, ids, typed stubs, object context and errors. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
