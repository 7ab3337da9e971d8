/**
 * The code that runs inside the object: the operations of a recording, executed through the public
 * API, with JavaScript's conventions for numbers, arguments and errors.
 */
@NullMarked
package dev.holdfast.conformance.script;

import org.jspecify.annotations.NullMarked;
