/**
 * What runs inside the object: the operations of a recording, made through the public API, with
 * JavaScript's conventions for numbers, arguments and errors around it.
 */
@NullMarked
package dev.holdfast.conformance.script;

import org.jspecify.annotations.NullMarked;
